"""Answers from the network that end: of at most so many bytes, and by a given time, however slowly they drip."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import httpx2

ANSWER_LIMIT = 8 * 1024 * 1024  # bytes; the longest answer that a pass asks for has a hundredth of that


class UnboundedError(httpx2.ReadError):
    """An answer that does not end where an honest one does."""


def hook(until: Callable[[], float], *, limit: int = ANSWER_LIMIT) -> Callable[[httpx2.Response], None]:
    """Make a response hook for an HTTP client: the SDK's own time limit counts anew with every byte.

    `until` tells the end of the request under way on the monotonic clock, `limit` is in bytes.
    """

    def bound(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":  # nobody asked for it; bombs come so
            raise UnboundedError("the answer is compressed although that was not asked for", request=response.request)
        if isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _Stream(response.stream, limit, until())

    return bound


class _Stream(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, limit: int, until: float) -> None:
        self._inner = inner
        self._limit = limit
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        total = 0
        for part in self._inner:
            total += len(part)
            if total > self._limit:
                raise UnboundedError(f"the answer has more than {self._limit:,} bytes")
            if time.monotonic() > self._until:
                raise httpx2.ReadTimeout("the answer did not end in time")
            yield part

    def close(self) -> None:
        self._inner.close()
