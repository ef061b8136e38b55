"""Which backend does the work, by the settings and by what there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    """The model's backend, whose SDK takes seconds to load: most passes end at a gate before that."""

    name = "anthropic"

    def __init__(self, asked: Service) -> None:
        self._asked = asked

    def propose(self, task: Task) -> Usage:
        """Load the SDK, and hand the task on."""
        from memd.agent import anthropic_api  # noqa: PLC0415 - heavy

        return anthropic_api.AnthropicApi(self._asked, anthropic_api.toolbox).propose(task)


def choose(settings: Settings, environ: Mapping[str, str], model: str) -> Chosen:
    """The backend for one kind of pass, whose model is `model`."""
    if not asks_a_model(settings, environ):
        from memd.agent.offline.backend import Offline  # noqa: PLC0415 - a second of patterns, and not all want them

        return Chosen(backend=Offline())
    asked = service(settings, environ, model)
    return Chosen(backend=_Later(asked), account=asked.account, where=asked.where)


def choose_dreamer(settings: Settings, environ: Mapping[str, str]) -> Chosen:
    """The same for a dream."""
    if asks_a_model(settings, environ):
        return choose(settings, environ, settings.models.dream)
    from memd.agent.offline.dreaming.backend import OfflineDream  # noqa: PLC0415 - as above

    return Chosen(backend=OfflineDream())
