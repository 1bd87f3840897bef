"""What the files of the repository say of each other."""
