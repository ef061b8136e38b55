"""The backend that asks a model of the Messages API: Anthropic's own service, a cloud's, or any compatible endpoint.

Importing this takes seconds and some 80 MB, because of the SDK: only a process that runs a pass does it.
"""

from __future__ import annotations

import importlib
import ipaddress
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import anthropic
import httpx2

from memd import distribution
from memd.agent import bounded, encoding, keys, opening
from memd.agent.backend import Task
from memd.agent.loop import Answer, Ask, Json, Limits, Tools, converse
from memd.agent.meter import Usage
from memd.agent.model_service import OWN_URL, Service
from memd.agent.tools import Toolbox
from memd.errors import AuthError, ConfigError, MemdError, TransientError

Client = anthropic.Anthropic | anthropic.AnthropicBedrock | anthropic.AnthropicVertex | anthropic.AnthropicFoundry

_ECHOED = frozenset({"text", "tool_use", "thinking", "redacted_thinking"})  # blocks that go back as they came
_LONGEST_WAIT = 24 * 3600.0  # seconds; a service that says more is asked again the next day
_CONNECT = 10.0  # seconds
_CLOUDS = frozenset({"botocore", "google"})  # packages
_SIGNS_WITH = {"bedrock": "botocore", "vertex": "google.auth"}  # what a cloud's client needs besides the SDK
_PAID_PERHAPS = frozenset({408, 502, 504, 524})  # a gateway gave up on what may have been answered behind it
_MOST_COUNTED = 1_000_000_000  # tokens of one answer: what an endpoint counts beyond is nonsense, and no float holds it


class AnthropicApi:
    """A loop of `messages.create`; the model works in the task's workspace by tools that memd runs."""

    name = "anthropic"

    def __init__(self, service: Service, make_tools: Callable[[Task, float], Tools]) -> None:
        """`make_tools` gives a task's tools, usable until a moment on the monotonic clock."""
        self._service = service
        self._make_tools = make_tools

    def propose(self, task: Task) -> Usage:
        """Show the model the conversation, or the part of it that the task is about, and let it work."""
        begin = opening.of(task, extra={"model": self._service.model})
        with asking(self._service) as ask:
            until = time.monotonic() + task.seconds
            limits = Limits(turns=task.max_turns, until=until, monotonic=time.monotonic)
            converse(ask, begin, self._make_tools(task, until), limits=limits, meter=task.meter)
        return task.meter.used


def toolbox(task: Task, until: float) -> Tools:
    """The tools of one task: the project to look into, the conversation as cleaned text, the workspace to write."""
    tools = Toolbox(
        workspace=task.workspace,
        project=task.project,
        transcript_text=encoding.lines(task.new, task.first),
        deadline=until,
    )
    if task.dream is not None and task.dream.conversations is not None:
        tools.let_search(task.dream.conversations)
    return tools


@contextmanager
def asking(service: Service) -> Iterator[Ask]:
    """A way to ask the service, over one connection that is closed in the end."""
    ends = [float("inf")]  # of the request under way, on the monotonic clock
    with _http(service, lambda: ends[0]) as http:
        client = _client(service, http)

        def ask(request: Json, seconds: float) -> Answer:
            ends[0] = time.monotonic() + seconds
            with _translated():
                message = client.messages.create(**request, timeout=httpx2.Timeout(seconds, connect=_CONNECT))
            return _answer(message, service.model)

        yield ask


def _http(service: Service, until: Callable[[], float]) -> httpx2.Client:
    """A client whose answers end. A proxy from the environment must not catch what stays on this machine."""
    is_plain = _is_loopback(service.base_url) and service.base_url.startswith("http://")
    return anthropic.DefaultHttpxClient(
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if is_plain else True,  # trusts nobody: there is no certificate
        event_hooks={"response": [bounded.hook(until)]},
        headers={"accept-encoding": "identity"},
        trust_env=not _is_loopback(service.base_url),
        follow_redirects=False,  # a redirect could carry the conversation elsewhere
    )


def _client(service: Service, http: httpx2.Client) -> Client:
    """The SDK's client. Its own retries are off: it would sleep through a `retry-after` of an hour."""
    headers = {"accept-encoding": "identity"}
    try:
        importlib.import_module(_SIGNS_WITH.get(service.provider, "anthropic"))  # the SDK would only say so later
        match service.provider:
            case "bedrock":
                return anthropic.AnthropicBedrock(max_retries=0, http_client=http, default_headers=headers)
            case "vertex":
                return anthropic.AnthropicVertex(max_retries=0, http_client=http, default_headers=headers)
            case "foundry":
                return anthropic.AnthropicFoundry(max_retries=0, http_client=http, default_headers=headers)
    except (ImportError, ValueError, anthropic.AnthropicError) as error:
        raise _not_installed(service.provider, error) from error
    held = keys.find(service.environ).required()
    key, token = held.get("ANTHROPIC_API_KEY"), held.get("ANTHROPIC_AUTH_TOKEN")
    if key is None and token is None:
        if service.base_url == OWN_URL:
            raise AuthError("there are no credentials for the model", hint="set ANTHROPIC_API_KEY for the daemon")
        key = "none"  # local endpoints want no key, but the SDK does
    return anthropic.Anthropic(
        api_key=key,
        auth_token=token,
        base_url=service.base_url,
        max_retries=0,
        http_client=http,
        default_headers=headers,
    )


def _not_installed(provider: str, error: Exception) -> ConfigError:
    extra = distribution.with_extra(provider, distribution.installed()) if provider in _SIGNS_WITH else ""
    install = f" What it needs: {extra}" if extra else ""
    return ConfigError(
        f"the {provider} client cannot be used: {type(error).__name__}", hint=f"is its account set up?{install}"
    )


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _answer(message: object, model: str) -> Answer:
    """Take what a pass needs from an answer; an endpoint that is merely compatible may leave much out."""
    if not isinstance(message, anthropic.types.Message) or not isinstance(message.content, list):
        raise TransientError("the service answered with something that is no message")
    blocks = tuple(_block(block) for block in message.content if getattr(block, "type", None) in _ECHOED)
    said = message.usage
    return Answer(
        blocks=tuple(block for block in blocks if block["type"] != "text" or block.get("text")),
        stop_reason=message.stop_reason,
        usage=Usage(
            model=model,
            requests=1,
            input_tokens=_count(said, "input_tokens"),
            cache_read_tokens=_count(said, "cache_read_input_tokens"),
            cache_write_tokens=_count(said, "cache_creation_input_tokens"),
            output_tokens=_count(said, "output_tokens"),
        ),
    )


def _block(block: object) -> Json:
    assert isinstance(block, anthropic.BaseModel)  # noqa: S101 - the SDK builds nothing else
    return block.to_dict(warnings=False)  # which would repeat what it says on standard error, the daemon's log


def _count(usage: object, name: str) -> int:
    found = getattr(usage, name, None)
    return min(found, _MOST_COUNTED) if isinstance(found, int) and found > 0 else 0


@contextmanager
def _translated() -> Iterator[None]:
    """Raise memd's own errors, which say whether the request was for nothing."""
    try:
        with _told_apart():
            yield
    except MemdError as error:
        error.free = _is_free(error.__cause__)
        raise


def _is_free(cause: BaseException | None) -> bool:
    if isinstance(cause, anthropic.APIStatusError):
        return cause.status_code not in _PAID_PERHAPS
    unsent = cause and cause.__cause__
    return isinstance(unsent, httpx2.ConnectError | httpx2.ConnectTimeout) or _is_clouds(cause)


def _is_clouds(error: BaseException | None) -> bool:
    """Whether a cloud's own package raised it, about who is asking."""
    return type(error).__module__.partition(".")[0] in _CLOUDS


@contextmanager
def _told_apart() -> Iterator[None]:
    """Tell apart what a person must mend, what goes by, and what will fail the same way each time."""
    try:
        yield
    except (anthropic.AuthenticationError, anthropic.PermissionDeniedError, anthropic.PaymentRequiredError) as error:
        raise AuthError(
            f"the model's service refused ({_code(error)})", hint="check the key and the account behind it"
        ) from error
    except anthropic.APIStatusError as error:
        if error.status_code in {408, 409, 429} or error.status_code >= 500:  # noqa: PLR2004 - HTTP's own numbers
            raise TransientError(
                f"the model's service is busy ({_code(error)})", retry_after=retry_after(error.response.headers)
            ) from error
        raise MemdError(f"the model's service does not take the request ({_code(error)})") from error
    except (anthropic.APIConnectionError, anthropic.APIResponseValidationError, httpx2.HTTPError) as error:
        raise TransientError(f"the model's service cannot be reached ({type(error).__name__})") from error
    except (anthropic.AnthropicError, TypeError, ValueError) as error:  # an answer that is no JSON, or the wrong one
        raise TransientError(f"the model's service answered nonsense ({type(error).__name__})") from error
    except Exception as error:
        if _is_clouds(error):
            raise AuthError(f"the cloud's credentials cannot be used ({type(error).__name__})") from error
        raise


def _code(error: anthropic.APIStatusError) -> str:
    """Say which error it was; never the message, which may repeat the request."""
    kind = getattr(error, "type", None)
    return f"{error.status_code} {kind}" if isinstance(kind, str) else str(error.status_code)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until the service wants to be asked again, from `retry-after` as seconds or a date; None: not said."""
    said = headers.get("retry-after", "").strip()
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(said) - (now or datetime.now(UTC))).total_seconds()
        except (TypeError, ValueError):
            return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else None  # noqa: PLR0124 - not a number
