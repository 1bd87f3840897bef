"""What people see in a browser: a table, and the page to be left alone. No scripts, no cookies, nothing from elsewhere."""
