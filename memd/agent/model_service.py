"""Which model is asked, by whom it is served, and with which credentials. Nothing here loads an SDK."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from memd.agent import keys
from memd.settings import Settings

OWN_URL = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Whom to ask. Credentials stand here and nowhere else: they are never logged, and the repr leaves them out."""

    model: str
    provider: str = "anthropic"  # or "bedrock", "vertex", "foundry"
    base_url: str = OWN_URL
    environ: Mapping[str, str]  # read for keys alone

    def __repr__(self) -> str:
        """Without the environment."""
        return f"Service(model={self.model!r}, provider={self.provider!r}, base_url={self.base_url!r})"

    @property
    def account(self) -> str:
        """A mark of service, model and credentials that tells none of them."""
        held = keys.find(self.environ)
        told = [self.provider, self.base_url, self.model, *(held.usable.get(name, "") for name in keys.NAMES)]
        told += [held.trouble] if held.trouble else []
        return hashlib.blake2b("\0".join(told).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()

    @property
    def where(self) -> str:
        """Where text goes: an address, or whose cloud it is."""
        return self.base_url if self.provider == "anthropic" else self.provider


def service(settings: Settings, environ: Mapping[str, str], model: str) -> Service:
    """The service that the settings and the environment name."""
    return Service(
        model=model,
        provider=settings.models.provider,
        base_url=settings.models.base_url or environ.get("ANTHROPIC_BASE_URL") or OWN_URL,
        environ=environ,
    )


def asks_a_model(settings: Settings, environ: Mapping[str, str]) -> bool:
    """Whether text of conversations leaves this process for a model."""
    if settings.backend == "auto":
        return bool(keys.find(environ))
    return settings.backend == "anthropic"


def key_trouble(settings: Settings, environ: Mapping[str, str]) -> str | None:
    """Why a model that is meant to be asked cannot be: its key. A cloud of others has keys of its own."""
    asks_with_it = asks_a_model(settings, environ) and settings.models.provider == "anthropic"
    return keys.find(environ).trouble if asks_with_it else None
