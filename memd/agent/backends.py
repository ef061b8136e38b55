"""Which backend does the work, by the settings and by what there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from memd.agent.backend import Backend, Task, Usage
from memd.agent.model_service import Service, asks_a_model, service
from memd.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A backend, and whom it spends with."""

    backend: Backend
    account: str | None = None  # a mark of service and credentials that tells neither; None: nothing is spent
    where: str | None = None  # the address that text goes to; None: it stays on this machine


class _Later:
    """A backend that takes a second or more to load: most passes end at a gate before, and commands ask its name."""

    def __init__(self, name: str, load: Callable[[], Backend]) -> None:
        self.name = name
        self._load = load

    def propose(self, task: Task) -> Usage:
        """Load it, and hand the task on."""
        return self._load().propose(task)


def _anthropic(asked: Service) -> Backend:
    from memd.agent import anthropic_api  # noqa: PLC0415 - an SDK

    return anthropic_api.AnthropicApi(asked, anthropic_api.toolbox)


def _offline() -> Backend:
    from memd.agent.offline.backend import Offline  # noqa: PLC0415 - a second of patterns

    return Offline()


def _offline_dream() -> Backend:
    from memd.agent.offline.dreaming.backend import OfflineDream  # noqa: PLC0415 - as above

    return OfflineDream()


def choose(settings: Settings, environ: Mapping[str, str], model: str) -> Chosen:
    """The backend for one kind of pass, whose model is `model`."""
    if not asks_a_model(settings, environ):
        return Chosen(backend=_Later("offline", _offline))
    asked = service(settings, environ, model)
    return Chosen(backend=_Later("anthropic", partial(_anthropic, asked)), account=asked.account, where=asked.where)


def choose_dreamer(settings: Settings, environ: Mapping[str, str]) -> Chosen:
    """The same for a dream."""
    if asks_a_model(settings, environ):
        return choose(settings, environ, settings.models.dream)
    return Chosen(backend=_Later("offline", _offline_dream))
