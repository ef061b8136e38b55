"""A real pass through the client of each cloud: made-up credentials, and a service on loopback in the cloud's place."""

from __future__ import annotations

import base64
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from memd.agent.anthropic_api import AnthropicApi
from memd.agent.backend import Task
from memd.agent.model_service import Service
from memd.errors import AuthError, ConfigError
from memd.ledger import Outcome
from memd.memory import workspace
from memd.memory.quotes import Speaker, Utterance
from tests.fakes.anthropic_server import Failure, Script, Server, in_turn, serving, tool_use
from tests.fakes.model_pass import Passes, conversation, furnished, tools

RULE = "from now on never mock the database in integration tests, a mocked one hid a broken migration"
TOPIC = f'---\nname: no-db-mocks\ndescription: {RULE}\ntype: feedback\nevidence: ["{RULE}"]\n---\n{RULE}\n'
WRITE = tool_use("Write", {"file_path": "memory/feedback_no_db_mocks.md", "content": TOPIC})
TOKEN = "ya29.made-up"  # noqa: S105 - as it says


@dataclass(kw_only=True)
class Tokens:
    """Where a service account fetches its tokens."""

    url: str = ""
    status: int = 200
    asked: list[dict[str, list[str]]] = field(default_factory=list)  # the forms that came


@contextmanager
def giving_tokens(status: int = 200) -> Iterator[Tokens]:
    """A token endpoint on a free port of the loopback interface."""
    given = Tokens(status=status)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            given.asked.append(parse_qs(form))
            good = {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"}
            body = json.dumps(good if given.status < 400 else {"error": "invalid_grant"}).encode()
            self.send_response(given.status)
            self.send_header("content-type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
            """Keep the test's output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        given.url = f"http://127.0.0.1:{http.server_address[1]}/token"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield given
        finally:
            http.shutdown()
            thread.join()


def service_account(home: Path, token_uri: str) -> Path:
    """The file of a service account that nobody made, with a key of its own."""
    rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
    forms = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    account = {
        "type": "service_account",
        "project_id": "made-up",
        "private_key_id": "1",
        "private_key": pem.decode(),
        "client_email": "memd@made-up.iam.gserviceaccount.com",
        "client_id": "1",
        "token_uri": token_uri,
    }
    path = home / "account.json"
    path.write_text(json.dumps(account))
    return path


def by_way_of(passes: Passes, provider: str) -> Passes:
    """The same project, whose passes ask the service through a cloud's client."""
    service = Service(model="claude-sonnet-5-5", provider=provider, base_url=passes.server.url, environ={})
    return replace(passes, house=replace(passes.house, backend=AnthropicApi(service, tools), account="somebody"))


def check_a_pass_saves(passes: Passes, script: Script) -> None:
    """One conversation, one pass, one memory, and what it cost by the service's own count."""
    done = passes.run(conversation(("human", RULE), ("assistant", "Understood.")), script)
    assert (done.outcome, "feedback_no_db_mocks.md" in passes.live()) == (Outcome.SAVED, True)
    (spent,) = passes.ledger.spent_since("2026-01-01")
    assert spent.requests == len(passes.server.requests) == 2
    assert spent.input > 0 < spent.output


def bodies(server: Server) -> str:
    return json.dumps([request.body for request in server.requests])


@contextmanager
def on_vertex(home: Path, monkeypatch: pytest.MonkeyPatch, *, status: int = 200) -> Iterator[tuple[Passes, Tokens]]:
    pytest.importorskip("google.auth")
    with serving(in_turn()) as server, giving_tokens(status) as given, furnished(home, server) as passes:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(service_account(home, given.url)))
        monkeypatch.setenv("ANTHROPIC_VERTEX_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "made-up")
        monkeypatch.setenv("CLOUD_ML_REGION", "us-east5")
        yield by_way_of(passes, "vertex"), given


def test_a_pass_through_vertex_with_a_service_account(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_vertex(home, monkeypatch) as (passes, given):
        check_a_pass_saves(passes, in_turn([WRITE]))
        path = "/v1/projects/made-up/locations/us-east5/publishers/anthropic/models/claude-sonnet-5-5:rawPredict"
        assert [request.path for request in passes.server.requests] == [path] * 2
        assert [request.headers["authorization"] for request in passes.server.requests] == [f"Bearer {TOKEN}"] * 2
        assert all("model" not in request.body for request in passes.server.requests)
        (form,) = given.asked
        claim = form["assertion"][0].split(".")[1]
        told = json.loads(base64.urlsafe_b64decode(claim + "=" * (-len(claim) % 4)))
        assert told["iss"] == "memd@made-up.iam.gserviceaccount.com"
        assert RULE in bodies(passes.server)
        assert RULE not in json.dumps(given.asked)
        assert "PRIVATE KEY" not in bodies(passes.server) + passes.log.getvalue()


def test_a_service_account_that_is_refused_opens_the_circuit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_vertex(home, monkeypatch, status=400) as (passes, given):
        with pytest.raises(AuthError, match="cloud's credentials"):
            passes.run(conversation(("human", RULE)), in_turn([WRITE]))
        assert given.asked
        assert passes.server.requests == ()
        assert passes.ledger.circuit().is_open("somebody", passes.ledger.now())


@contextmanager
def on_bedrock(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Passes]:
    pytest.importorskip("botocore")
    with serving(in_turn()) as server, furnished(home, server) as passes:
        monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", server.url)
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "made-up-id")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "made-up-secret")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield by_way_of(passes, "bedrock")


def test_a_pass_through_bedrock_with_a_key_of_an_account(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_bedrock(home, monkeypatch) as passes:
        check_a_pass_saves(passes, in_turn([WRITE]))
        assert [request.path for request in passes.server.requests] == ["/model/claude-sonnet-5-5/invoke"] * 2
        for request in passes.server.requests:
            signed = request.headers["authorization"]
            assert signed.startswith("AWS4-HMAC-SHA256 Credential=made-up-id/")
            assert "/us-east-1/bedrock/aws4_request" in signed
            assert "made-up-secret" not in str(request)
        assert RULE in bodies(passes.server)


def test_what_bedrock_refuses_opens_the_circuit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with on_bedrock(home, monkeypatch) as passes:
        with pytest.raises(AuthError):
            passes.run(conversation(("human", RULE)), in_turn(Failure(status=403, kind="permission_error")))
        assert len(passes.server.requests) == 1
        assert passes.ledger.circuit().is_open("somebody", passes.ledger.now())


@pytest.mark.parametrize(("provider", "needs"), [("bedrock", "botocore"), ("vertex", "google.auth")])
def test_what_a_cloud_needs_and_is_not_there_is_said(
    provider: str, needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, needs, None)
    said = Utterance(speaker=Speaker.HUMAN, text=RULE, uuid="u1")
    with workspace.make(tmp_path / "memory", tmp_path) as work, pytest.raises(ConfigError) as caught:
        AnthropicApi(Service(model="m", provider=provider, environ={}), tools).propose(
            Task(workspace=work, new=(said,))
        )
    assert f"[{provider}]" in (caught.value.hint or "")  # of memd as it was installed, or of what it needs
