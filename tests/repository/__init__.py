"""The files of the repository agree with each other."""
