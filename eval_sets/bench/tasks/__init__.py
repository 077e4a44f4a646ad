"""What runs in a process of its own; each function takes and gives JSON."""
