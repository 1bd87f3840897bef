"""What must hold however many games there are."""
