"""Reading what agents write about their conversations, one module a format."""
