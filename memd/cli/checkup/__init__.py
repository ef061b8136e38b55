"""What `memd doctor` looks at: a module a subject, each check a function that yields findings."""
