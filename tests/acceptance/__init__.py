"""The product as people meet it: by its README, its demonstration, its mails and its pages."""
