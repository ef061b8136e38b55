"""What other rooms' tests stand on, for what went wrong around it."""

from tests.cli.conftest import inside, managed, memd, near
from tests.dream.conftest import bed
from tests.extract.conftest import world
from tests.recall.conftest import injector, injectors

__all__ = ["bed", "injector", "injectors", "inside", "managed", "memd", "near", "world"]
