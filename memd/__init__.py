"""memd gives coding agents a long-term memory in plain Markdown."""

__version__ = "0.1.0"
