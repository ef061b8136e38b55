"""The command line as people have it, for what went wrong around it."""

from tests.cli.conftest import inside, managed, memd, near

__all__ = ["inside", "managed", "memd", "near"]
