"""The command line: one module a verb family, parsing and printing only."""
