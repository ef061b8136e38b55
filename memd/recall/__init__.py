"""Which memories bear on what is asked now."""
