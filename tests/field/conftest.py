"""The command line as people have it, for what went wrong around it."""

from tests.cli.conftest import bytecode, inside, managed, memd, near

__all__ = ["bytecode", "inside", "managed", "memd", "near"]
