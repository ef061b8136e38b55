"""What other rooms' tests stand on, for what went wrong around it."""

from tests.cli.conftest import inside, managed, memd, near
from tests.dream.conftest import bed

__all__ = ["bed", "inside", "managed", "memd", "near"]
