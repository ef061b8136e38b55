"""What can go wrong, in terms of what a person can do about it.

The class docstring is the default message; `exit_code` is what the command line answers.
Errors are caught at two places only: the command line's boundary and the worker's job loop.
"""

from __future__ import annotations

import inspect
from typing import ClassVar


class MemdError(Exception):
    """memd could not do what was asked."""

    exit_code: ClassVar[int] = 1
    free: bool = False  # it ended a request to a service that costs nothing: a refusal, or nobody was reached

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        """`message` says what failed and why; `hint` says what to do about it."""
        super().__init__(message or inspect.getdoc(type(self)) or type(self).__name__)
        self.hint = hint


class UsageError(MemdError):
    """The command was not understood."""

    exit_code = 2


class ConfigError(UsageError):
    """A setting cannot be used."""


class DaemonNotRunningError(MemdError):
    """The memd daemon is not running."""

    exit_code = 3


class LockedError(MemdError):
    """Another process is working there."""

    exit_code = 4


class AuthError(MemdError):
    """The model's service refused the credentials."""

    exit_code = 5


class BudgetError(MemdError):
    """The spending limit is reached."""

    exit_code = 6


class TooSmallCapError(BudgetError):
    """A cap of the settings has no room for a single request."""


class RefusedError(MemdError):
    """A safety rule forbids this."""

    exit_code = 7


class TransientError(MemdError):
    """A temporary failure; the same request may succeed later."""

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, retry_after: float | None = None
    ) -> None:
        """`retry_after` is in seconds, where the service named a time."""
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


class UnwritableError(TransientError):
    """The memory directory cannot be used until a person mends it."""


class LeaseLostError(MemdError):
    """Another worker took this job over; this one's result is thrown away."""


class UnsafePathError(RefusedError):
    """A path leads outside the directory, through a link, or to something that is not a regular file."""


class LedgerError(MemdError):
    """The ledger cannot be read."""


class LedgerLostError(LedgerError):
    """The ledger was damaged or taken away while it was in use."""
