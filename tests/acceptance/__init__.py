"""The product as users meet it: its README, its demonstration, its mails and its pages."""
