"""What can be done: one function a command, inside the caller's transaction. No Flask in here."""
