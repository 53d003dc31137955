"""Two hundred keys that servers say back in every spelling: none stays in a file or on a terminal."""

import base64
import html
import json
import random
import string
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

import pytest

from tests.json_server import JsonHandler, serving
from tests.json_value import texts_of
from tests.replay.conftest import research_eval

pytestmark = pytest.mark.sockets

SPELLINGS = {
    "raw": lambda key: key,
    "json in json": lambda key: json.dumps(json.dumps({"token": key})),
    "another json writer": lambda key: json.dumps(key).replace("/", "\\/").replace("+", "\\u002B"),
    "entities": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "named entities": lambda key: html.escape(key).replace("+", "&plus;").replace("/", "&sol;"),
    "percent": lambda key: quote(key, safe=""),
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "basic": lambda key: "Basic " + base64.urlsafe_b64encode(f"me:{key}".encode()).decode(),
    "base64 of json": lambda key: base64.b64encode(json.dumps({"a": key}).encode()).decode(),
}
PLACES = ("page", "page in utf-16", "header", "search", "answer", "streamed answer", "question")
COUNT = 203
NAMES = ("PLANTED_API_KEY_{}", "PLANTED_{}_TOKEN", "MY_PASSWD_{}", "DB_{}_URL", "GIVEN_{}")


def plant():
    """Return the environment, and (key, place, spelling) for each of the secrets."""
    rng = random.Random(20261202)
    environ, planted = {}, []
    letters = string.ascii_letters + string.digits + "+/-_"
    for number in range(COUNT):
        key = "k9" + "".join(rng.choices(letters, k=rng.randint(18, 44)))
        name = NAMES[number % len(NAMES)].format(number)
        is_url = name.endswith("_URL")
        environ[name] = f"postgres://me:{quote(key, safe='')}@db.example/x" if is_url else key
        place = PLACES[number % len(PLACES)]
        planted.append((key, place, list(SPELLINGS)[number // len(PLACES) % len(SPELLINGS)]))
    environ["RESEARCH_EVAL_SECRETS"] = ",".join(n for n in environ if n.startswith("GIVEN_"))
    return environ, planted


class _Handler(JsonHandler):
    server: Any

    def post(self, body: dict[str, Any]) -> None:
        if self.path == "/search":
            hit = {
                "title": "Harbour",
                "link": self.server.page,
                "snippet": self.server.said["search"],
            }
            self._send(json.dumps({"organic": [hit]}).encode(), "application/json")
            return
        if "broken" in json.dumps(body):
            said = json.dumps({"error": {"message": self.server.said["answer"]}}).encode()
            self._send(said, "application/json", 400)
            return
        done = sum(message["role"] == "tool" for message in body["messages"])
        if body.get("stream"):
            self._stream(done)
        else:
            self._send(self._reply(done), "application/json")

    def _message(self, done: int, place: str) -> dict[str, Any]:
        calls = [("web_search", {"query": "harbour"}), ("fetch", {"url": self.server.page})]
        calls.append(("fetch", {"url": f"{self.server.page}?wide"}))
        if done >= len(calls):
            return {
                "content": f"In 1907 [source]({self.server.page}). {self.server.said[place]} End."
            }
        name, arguments = calls[done]
        call = {"name": name, "arguments": json.dumps(arguments)}
        return {
            "tool_calls": [{"index": 0, "id": f"c{done}", "type": "function", "function": call}]
        }

    def _reply(self, done: int) -> bytes:
        message = self._message(done, "answer")
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
        return json.dumps({
            "id": "x", "object": "chat.completion", "created": 1, "model": "local", "choices": [choice],
        }).encode()  # fmt: skip

    def _stream(self, done: int) -> None:
        message = self._message(done, "streamed answer")
        text = message.get("content", "")
        deltas = [{"content": text[at : at + 4]} for at in range(0, len(text), 4)] or [message]
        events = [self._event({"role": "assistant", **delta}, None) for delta in deltas]
        events.append(self._event({}, "stop" if text else "tool_calls") + b"data: [DONE]\n\n")
        self._send(b"".join(events), "text/event-stream")

    @staticmethod
    def _event(delta: dict[str, Any], reason: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "local"}
        return b"data: " + json.dumps({**chunk, "choices": [choice]}).encode() + b"\n\n"

    def get(self) -> None:
        place = "page in utf-16" if self.path.endswith("?wide") else "page"
        words = "The harbour of Lindow opened in 1907. " * 40
        page = f"<title>Harbour</title><main><p>{words}</p><p>{self.server.said[place]}</p></main>"
        encoding = "utf-16" if place.endswith("16") else "utf-8"
        self._send(page.encode(encoding), f"text/html; charset={encoding}")

    def _send(self, content: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        for said in self.server.said["header"].split("\n"):
            self.send_header("etag", said)
            self.send_header("link", f"<https://a.example/?x={said}>; rel=next")
        self.end_headers()
        self.wfile.write(content)


EXPERIMENT = """
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
trials = 1

[defaults]
fetch.allow_private = ["127.0.0.1"]
fetch.ports = [{port}]
search.chain = [{{ provider = "serper", endpoint = "{url}/search", key_name = "GIVEN_4" }}]
search.resilience.rate_per_s = "none"
"""
MODEL = """
[[configuration]]
name = "{name}"
model = {{ name = "openai:{name}", base_url = "{url}/v1", api_key_env = "GIVEN_4", request_retries = 0{more} }}
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Record and replay with two hundred keys; return the keys, all files, and all that was shown."""
    folder = tmp_path_factory.mktemp("planted")
    environ, planted = plant()
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_port}"
    server.page = f"{url}/page"
    server.said = {
        place: ("\n" if place == "header" else " | ").join(
            SPELLINGS[spelling](key) for key, where, spelling in planted if where == place
        )
        for place in PLACES
    }
    question = f"When did it open? {server.said['question']}"
    (folder / "cases.jsonl").write_text(json.dumps({"id": "a", "question": question}) + "\n")
    models = {"plain": "", "streamed": ", stream = true", "broken": ""}
    path = folder / "mine.toml"
    path.write_text(
        EXPERIMENT.format(url=url, port=server.server_port)
        + "".join(MODEL.format(name=name, url=url, more=more) for name, more in models.items())
    )
    with serving(server):
        shown = [research_eval("record", path, "--out", "one", cwd=folder, check=False, **environ)]
    again = ("run", path, "--configuration", "plain", "--configuration", "streamed", "--out", "two")
    shown += [
        research_eval(*again, cwd=folder, check=False, **environ),
        research_eval(
            "run", path, "--configuration", planted[0][0], cwd=folder, check=False, **environ
        ),
        research_eval("cassette", "verify", path, cwd=folder, check=False, **environ),
        research_eval("report", "two", "--format", "json", cwd=folder, check=False, **environ),
    ]
    texts = {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.parent != folder
    }
    for number, done in enumerate(shown):
        texts[f"output {number}"] = (done.stdout + done.stderr).encode()
    return planted, texts


def readings(content: bytes) -> str:
    """Return a file in several plain readings, made by other means than the scrubber's."""
    text = content.replace(b"\0", b"").decode("utf-8", "replace")
    bare = text.replace("\\\\", "\\").replace("\\/", "/").replace("\\u002B", "+")
    plain = html.unescape(bare)
    pieces = "".join(
        part.split('"')[0] for part in bare.replace('\\"', '"').split('"content":"')[1:]
    )
    return "\n".join((text, plain, unquote(plain), unquote(unquote(plain)), pieces))


def test_none_of_two_hundred_keys_is_in_a_file_or_on_a_terminal(written):
    planted, texts = written
    assert len(planted) == len({key for key, _, _ in planted}) == COUNT
    assert {"one/trials.jsonl", "one/report.html", "two/trials.jsonl", "two/report.md"} <= set(
        texts
    )
    assert any(name.startswith("cassettes/streamed/") for name in texts)

    read = {name: readings(content) for name, content in texts.items()}
    found = []
    for key, place, spelling in planted:
        codes = [base64.b64encode(b"x" * n + key.encode()).decode()[4:-4] for n in range(3)]
        needles = [key, *codes, *(code.replace("+", "-").replace("/", "_") for code in codes)]
        found += [
            (place, spelling, name)
            for name, text in read.items()
            if any(needle in text for needle in needles)
        ]
    assert found == []


def test_the_keys_did_pass_and_the_replay_shows_the_same(written):
    _, texts = written
    one = {
        (row["configuration"]): row
        for row in map(json.loads, texts["one/trials.jsonl"].splitlines())
    }
    two = {
        (row["configuration"]): row
        for row in map(json.loads, texts["two/trials.jsonl"].splitlines())
    }

    assert set(one) == {"plain", "streamed", "broken"}
    for name in ("plain", "streamed"):
        assert texts_of(one[name]) == texts_of(two[name])
        assert json.dumps(one[name]).count("SCRUBBED") >= COUNT // len(PLACES)
        assert "In 1907 [source]" in json.dumps(one[name])
    assert "SCRUBBED" in json.dumps(one["broken"])
