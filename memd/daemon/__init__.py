"""The process that runs all day: it decides what is due and starts workers; it never extracts itself."""
