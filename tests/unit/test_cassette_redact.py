"""Redaction: no secret reaches a recording, and ordinary text is left alone."""

import base64
import json
import random
import runpy
import string
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, quote_plus

import pytest

from research_eval.cassette import Redactor, WebCassettes
from research_eval.clock import VirtualClock
from research_eval.errors import CassetteMissError, ConfigError, SecretInCassetteError

lab = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("cassette_lab.py"))))
httpx = lab.httpx
URL = "https://api.example/search"
pytestmark = pytest.mark.anyio

ALPHABETS = (
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "-_",
    string.ascii_letters + "+/=$%&'\"\\<>",
)


def make_secret(rng):
    return "".join(rng.choices(rng.choice(ALPHABETS), k=rng.randint(16, 60)))


FORMS = {
    "raw": lambda s, rng: s,
    "bearer": lambda s, rng: f"Bearer {s}",
    "url-encoded": lambda s, rng: quote(s, safe=""),
    "form-encoded": lambda s, rng: quote_plus(s),
    "lower url-encoded": lambda s, rng: quote(s, safe="").lower() if s.islower() else quote(s),
    "base64": lambda s, rng: base64.b64encode(s.encode()).decode(),
    "base64 url": lambda s, rng: base64.urlsafe_b64encode(s.encode()).decode(),
    "basic auth": lambda s, rng: (
        "Basic " + base64.b64encode(("u" * rng.randint(1, 9) + ":" + s).encode()).decode()
    ),
    "json in json": lambda s, rng: json.dumps(json.dumps({"k": s})),
    "hex": lambda s, rng: s.encode().hex(),
    "in a sentence": lambda s, rng: (
        f"Incorrect API key provided: {s}. You can find yours elsewhere."
    ),
    "glued": lambda s, rng: f"x{s}y",
}
PLACES = (
    "request url",
    "request header",
    "request json",
    "request form",
    "response header",
    "response json",
    "response html",
    "response binary",
    "redirect",
    "error text",
    "event stream",
    "cookie",
)


def plant(http, place, leak):  # noqa: C901  # one branch a place
    """Return a request and an answer of which one holds the leak."""
    request = {"method": "GET", "url": URL}
    answer = {"status_code": 200}
    if place == "request url":
        request["url"] = f"{URL}?q=" + quote(leak, safe="")
    elif place == "request header":
        request["headers"] = {"authorization": leak.encode("utf-8", "ignore"), "x-custom": leak}
    elif place == "request json":
        request |= {"method": "POST", "json": {"deep": [{"value": leak}]}}
    elif place == "request form":
        request |= {"method": "POST", "data": {"field": leak}}
    elif place == "response header":
        answer["headers"] = {
            "content-disposition": leak,
            "x-request-id": leak,
            "openai-organization": leak,
        }
    elif place == "response json":
        answer["json"] = {"echo": {"headers": {"x": leak}}}
    elif place == "response html":
        answer["html"] = f"<p>you sent <code>{leak}</code></p>"
    elif place == "response binary":
        answer["content"] = b"\xff\xfe" + leak.encode() + b"\x00\x80"
    elif place == "redirect":
        answer |= {
            "status_code": 302,
            "headers": {"location": "https://other.example/?t=" + quote(leak, safe="")},
        }
    elif place == "event stream":
        answer |= {
            "content": f"data: {json.dumps({'delta': leak})}\n\ndata: [DONE]\n\n".encode(),
            "headers": {"content-type": "text/event-stream"},
        }
    elif place == "cookie":
        answer["headers"] = [("set-cookie", f"session={leak[:3]}"), ("Set-Cookie", f"a={leak}")]
    return request, answer


def leaks(text, secret):
    """Say whether some form of a secret can be found in text, by other means than the scrubber's."""
    raw = secret.encode()
    needles = {
        secret,
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        raw.hex(),
    }
    needles |= {base64.b64encode(b"x" * n + raw).decode()[4:-4] for n in range(3)}
    return any(needle in text for needle in needles)


async def test_of_300_planted_secrets_none_is_found_afterwards(tmp_path):
    rng = random.Random(20261130)
    planted = []
    cells = [(place, form) for place in PLACES for form in FORMS]
    for number, (place, form) in enumerate(cells * 3):
        if len(planted) == 300:
            break
        secret = make_secret(rng)
        leak = FORMS[form](secret, rng)
        request, answer = plant(httpx, place, leak)

        def serve(asked, answer=answer, place=place, leak=leak):
            if place == "error text":
                raise httpx.ConnectError(
                    f"cannot reach https://api.example/?k={leak}", request=asked
                )
            return httpx.Response(**answer)

        web = WebCassettes(
            tmp_path / str(number), mode="record", redactor=Redactor({"THE_KEY": secret})
        )
        session = web.session(lab.KEY, VirtualClock())
        async with httpx.AsyncClient(
            transport=session.transport(lab.Server(httpx, serve).transport)
        ) as client:
            try:
                await client.request(**request)
            except httpx.ConnectError:
                pass
            except (UnicodeEncodeError, httpx.InvalidURL):
                continue
        planted.append((number, place, form, secret))

    found = [
        (place, form)
        for number, place, form, secret in planted
        if leaks(lab.everything_in(tmp_path / str(number)), secret)
        or leaks("".join(lab.files_in(tmp_path / str(number))), secret)
    ]
    assert len(planted) >= 200
    assert found == []


ORDINARY = [
    "The key to success is not an API key but patience; token by token the model writes.",
    "Set `Authorization: Bearer $TOKEN` and pass api_key=YOUR_KEY as shown below...",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 4).decode(),
    "https://site.example/a?key=42&token=abc&code=404&sig=&user=tom",
    "password reset, cookies, sessions and user accounts are explained in chapter 3",
    "***** five stars, ... three dots, \u2026 and an ellipsis, sk- is a prefix, deskside",
    "encrypted_content: " + base64.b64encode(b"opaque blob that must stay byte-exact" * 9).decode(),
]


@pytest.mark.parametrize("text", ORDINARY, ids=lambda text: text[:20])
@pytest.mark.parametrize("kind", ["text/html", "text/plain", "application/json"])
def test_ordinary_text_is_unharmed(text, kind):
    redactor = Redactor({"API_KEY": "sk-proj-0123456789abcdefghij", "OTHER": "tvly-abcdefghijklmn"})
    body = json.dumps({"text": text, "user": {"name": "tom"}}) if kind.endswith("json") else text

    assert redactor.content(body.encode(), kind, "web") == body.encode()


def test_fields_that_carry_keys_or_accounts_are_blanked_wherever_they_stand():
    body = {
        "access_token": "a",
        "outer": [{"Client_Secret": "b", "refresh_token": "", "name": "kept"}],
        "user": "u-1",
        "messages": [{"role": "user", "content": "user"}],
    }
    clean = json.loads(Redactor().body(json.dumps(body), "application/json", "model"))

    assert clean == {
        "access_token": "SCRUBBED",
        "outer": [{"Client_Secret": "SCRUBBED", "refresh_token": "", "name": "kept"}],
        "user": "SCRUBBED",
        "messages": [{"role": "user", "content": "user"}],
    }


def test_account_fields_of_model_apis_are_ordinary_words_on_a_page():
    body = '{"user": "tom", "request_id": "7"}'

    assert Redactor().body(body, "application/json", "web") == body
    assert "tom" not in Redactor().body(body, "application/json", "model")


def test_where_the_searcher_sits_is_not_kept():
    body = '{"query":{"original":"x","city":"Ghent","state":"EF","postal_code":"9000"},"web":{"city":"Ghent"}}'
    clean = json.loads(Redactor().body(body, "application/json", "web"))

    assert clean["query"] == {
        "original": "x",
        "city": "SCRUBBED",
        "state": "SCRUBBED",
        "postal_code": "SCRUBBED",
    }
    assert clean["web"] == {"city": "Ghent"}


def test_fields_inside_an_event_stream_are_blanked_and_its_other_lines_stay():
    stream = 'event: a\ndata: {"user_id":"u-1","x":1}\n\n: comment\ndata: [DONE]\n\n'

    assert Redactor().body(stream, "text/event-stream", "model") == stream.replace(
        "u-1", "SCRUBBED"
    )


@pytest.mark.parametrize(
    ("uri", "clean"),
    [
        ("https://a.example/?api_key=abc&q=1", "https://a.example/?api_key=SCRUBBED&q=1"),
        ("https://a.example/?q=1&APIKEY=abc", "https://a.example/?q=1&APIKEY=SCRUBBED"),
        ("https://a.example/#access_token=abc", "https://a.example/#access_token=SCRUBBED"),
        (
            "https://customsearch.googleapis.com/v1?key=abc&cx=def&q=x",
            "https://customsearch.googleapis.com/v1?key=SCRUBBED&cx=SCRUBBED&q=x",
        ),
        ("https://tom:secret@a.example/x", "https://a.example/x"),
        ("https://a.example/?key=abc&api_key=", "https://a.example/?key=abc&api_key="),
        ("<https://a.example/?sig=abc>; rel=next", "<https://a.example/?sig=SCRUBBED>; rel=next"),
    ],
)
def test_urls_lose_their_keys(uri, clean):
    assert Redactor().uri(uri) == clean
    assert Redactor().uri(clean) == clean


def test_only_headers_on_the_list_are_kept_whatever_their_case():
    sent = [
        ("Authorization", "Bearer x"),
        ("Cookie", "a=b"),
        ("X-Stainless-OS", "Linux"),
        ("Content-Type", "application/json"),
        ("User-Agent", "me"),
    ]
    received = [
        ("SET-COOKIE", "a=b"),
        ("openai-organization", "org-1"),
        ("CF-RAY", "1"),
        ("Content-Type", "text/html"),
        ("X-RateLimit-Remaining", "3"),
        ("Retry-After", "2"),
        ("Location", "/?api_key=abc"),
    ]

    assert Redactor().request_headers(sent) == {"content-type": ("application/json",)}
    assert Redactor().response_headers(received) == {
        "content-type": ("text/html",),
        "location": ("/?api_key=SCRUBBED",),
        "retry-after": ("2",),
        "x-ratelimit-remaining": ("3",),
    }


@pytest.mark.parametrize(
    "shown", ["sk-pr***********wxyz", "sk-proj-****", "sk-p...wxyz", "\u2022\u2022\u2022\u2022wxyz"]
)
def test_a_key_that_is_shown_in_part_is_scrubbed(shown):
    redactor = Redactor({"KEY": "sk-proj-abcdefghijklmnopwxyz"})

    assert (
        redactor.text(f"Incorrect API key provided: {shown}.")
        == "Incorrect API key provided: SCRUBBED."
    )


def test_every_line_of_a_secret_with_lines_is_secret():
    pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\nAAAAB3NzaC1yc2EAAAADAQABAA\n-----END KEY-----"

    assert "MIIEvQ" not in Redactor({"PEM": pem}).text("x MIIEvQIBADANBgkqhkiG9w0BAQ y")


def test_a_short_secret_is_scrubbed_as_a_word_and_a_tiny_one_refused():
    redactor = Redactor({"PIN": "hunter2"})

    assert redactor.text("hunter2, hunter22 and shunter2") == "SCRUBBED, hunter22 and shunter2"
    with pytest.raises(ConfigError, match="TINY is too short"):
        Redactor({"TINY": "abc"})
    assert Redactor({"EMPTY": ""}).text("abc") == "abc"


def test_patterns_and_fields_of_ones_own():
    redactor = Redactor(patterns=(r"acct-\d+",), fields=("Tenant",))

    assert (
        redactor.uri("https://a.example/acct-7?tenant=x")
        == "https://a.example/SCRUBBED?tenant=SCRUBBED"
    )
    assert redactor.body('{"tenant":"x"}', "application/json", "web") == '{"tenant":"SCRUBBED"}'
    with pytest.raises(ConfigError, match="not a regular expression"):
        Redactor(patterns=("(",))


def test_scrubbing_twice_is_scrubbing_once():
    redactor = Redactor({"KEY": "sk-proj-abcdefghijklmnopwxyz"}, patterns=(r"acct-\d+",))
    text = "acct-1 sk-proj-abcdefghijklmnopwxyz https://a.example/?api_key=1"

    assert redactor.uri(redactor.uri(text)) == redactor.uri(text)


async def test_saving_refuses_what_still_holds_a_secret_and_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(Redactor, "content", lambda self, content, content_type, channel: content)
    cassettes = lab.Lab(tmp_path)

    async def talk(client):
        await client.get(URL)

    secret = "sk-proj-abcdefghijklmnopwxyz"
    with pytest.raises(
        SecretInCassetteError, match="the value of MY_KEY is still in it; nothing was saved"
    ) as caught:
        await cassettes.record(
            lambda _: httpx.Response(200, text=f"echo {secret}"),
            talk,
            redactor=Redactor({"MY_KEY": secret}),
        )
    assert secret not in str(caught.value)
    assert cassettes.files() == {}


async def test_a_scrubbed_answer_keeps_its_events_and_loses_its_false_length(tmp_path):
    secret = "sk-proj-abcdefghijklmnopwxyz"
    events = [f'data: {{"n":{n},"echo":"{secret}"}}\n\n'.encode() for n in range(3)]
    headers = {"content-type": "text/event-stream", "content-length": str(sum(map(len, events)))}

    async def talk(client):
        async with client.stream("GET", URL) as response:
            return [chunk async for chunk in response.aiter_raw()], response.headers.get(
                "content-length"
            )

    cassettes = lab.Lab(tmp_path)
    await cassettes.record(
        lambda _: httpx.Response(200, headers=headers, stream=lab.pieces(httpx, events)),
        talk,
        redactor=Redactor({"KEY": secret}),
    )

    chunks, length = await cassettes.replay(talk)
    assert chunks == [event.replace(secret.encode(), b"SCRUBBED") for event in events]
    assert length is None


async def test_a_miss_does_not_print_the_key_of_the_request(tmp_path):
    secret = "sk-proj-abcdefghijklmnopwxyz"
    cassettes = lab.Lab(tmp_path)

    async def talk(client):
        await client.post(f"{URL}?api_key={secret}", json={"auth": secret})

    with pytest.raises(CassetteMissError) as caught:
        await cassettes.replay(talk, redactor=Redactor({"KEY": secret}))
    assert secret not in str(caught.value)
    assert "SCRUBBED" in str(caught.value)
