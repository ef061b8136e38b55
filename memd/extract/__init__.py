"""The extraction pass: from a conversation that ended to memory that is saved."""
