"""Which backend does the work, by the settings and by what there is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from memd.agent.backend import Backend, Task, Usage
from memd.agent.offline.backend import Offline
from memd.agent.offline.dreaming.backend import OfflineDream
from memd.settings import Settings

OWN_URL = "https://api.anthropic.com"
_CREDENTIALS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A backend, and whom it spends with."""

    backend: Backend
    account: str | None = None  # a mark of service and credentials that tells neither; None: nothing is spent
    where: str | None = None  # the address that text goes to; None: it stays on this machine


class _Later:
    """The model's backend, whose SDK takes seconds to load: most passes end at a gate before that."""

    name = "anthropic"

    def __init__(self, settings: Settings, environ: Mapping[str, str], model: str, base_url: str) -> None:
        self._settings = settings
        self._environ = environ
        self._model = model
        self._base_url = base_url

    def propose(self, task: Task) -> Usage:
        """Load the SDK, and hand the task on."""
        from memd.agent import anthropic_api  # noqa: PLC0415 - heavy

        service = anthropic_api.Service(
            model=self._model,
            provider=self._settings.models.provider,
            base_url=self._base_url,
            environ=self._environ,
        )
        return anthropic_api.AnthropicApi(service, anthropic_api.toolbox).propose(task)


def choose(settings: Settings, environ: Mapping[str, str], model: str) -> Chosen:
    """The backend for one kind of pass, whose model is `model`."""
    if not asks_a_model(settings, environ):
        return Chosen(backend=Offline())
    base_url = settings.models.base_url or environ.get("ANTHROPIC_BASE_URL") or OWN_URL
    marked = [settings.models.provider, base_url, model, *(environ.get(name, "") for name in _CREDENTIALS)]
    account = hashlib.blake2b("\0".join(marked).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    where = base_url if settings.models.provider == "anthropic" else settings.models.provider
    return Chosen(backend=_Later(settings, environ, model, base_url), account=account, where=where)


def choose_dreamer(settings: Settings, environ: Mapping[str, str]) -> Chosen:
    """The same for a dream."""
    chosen = choose(settings, environ, settings.models.dream)
    return Chosen(backend=OfflineDream()) if chosen.account is None else chosen


def asks_a_model(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether text of conversations leaves this process for a model."""
    if settings.backend == "auto":
        return any(environ.get(name) for name in _CREDENTIALS)
    return settings.backend == "anthropic"
