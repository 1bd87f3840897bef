"""What tests share: fixtures, doubles, and ways to start and ask the real thing."""
