"""The memory directory: where it is, what is in it, and the one door through which it changes."""
