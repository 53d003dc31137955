"""What providers say when they fail, and what is done about it."""

import asyncio
import contextlib
import random

import httpx2
import pytest

from research_eval.clock import SystemClock, VirtualClock
from research_eval.errors import CassetteMissError, ConfigError, MissingSecretError, ModelError
from research_eval.model import ModelSettings, build_model
from tests.unit.wire_lab import FETCH, KEY, QUESTION, chat, client

pytestmark = pytest.mark.anyio


def openai_error(message="no", code=None, kind="invalid_request_error"):
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def google_error(status, message="no", *details):
    return {"error": {"code": 400, "message": message, "status": status, "details": list(details)}}


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "48s"}
BAD_KEY = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}


@pytest.mark.parametrize(
    ("provider", "answer", "kind"),
    [
        ("openai", (401, openai_error(code="invalid_api_key")), "auth"),
        ("openai", (429, openai_error(code="rate_limit_exceeded")), "rate_limited"),
        (
            "openai",
            (429, openai_error(code="insufficient_quota", kind="insufficient_quota")),
            "quota",
        ),
        ("openai", (400, openai_error(code="context_length_exceeded")), "context"),
        (
            "openai",
            (400, openai_error("the request exceeds the available context size")),
            "context",
        ),
        ("openai", (400, openai_error("unsupported parameter")), "other"),
        ("openai", (404, openai_error(code="model_not_found")), "other"),
        ("openai", (500, openai_error(kind="server_error")), "server"),
        ("openai", (502, b"<html>", {"content-type": "text/html"}), "server"),
        ("openai", (503, openai_error()), "overloaded"),
        ("openai", (408, openai_error()), "timeout"),
        ("openai", httpx2.ReadTimeout("slow"), "timeout"),
        ("openai", httpx2.ConnectError("refused"), "connection"),
        ("openrouter", (402, {"error": {"code": 402, "message": "no credits"}}), "quota"),
        (
            "anthropic",
            (529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}),
            "overloaded",
        ),
        (
            "anthropic",
            (401, {"type": "error", "error": {"type": "authentication_error", "message": "x"}}),
            "auth",
        ),
        (
            "anthropic",
            (
                400,
                {
                    "type": "error",
                    "error": {
                        "type": "invalid_request_error",
                        "message": "prompt is too long: 3 tokens > 2 maximum",
                    },
                },
            ),
            "context",
        ),
        ("google", (429, google_error("RESOURCE_EXHAUSTED", "slow", RETRY_INFO)), "rate_limited"),
        ("google", (400, google_error("INVALID_ARGUMENT", "API key not valid.", BAD_KEY)), "auth"),
        ("google", (503, google_error("UNAVAILABLE")), "overloaded"),
        ("mistral", (401, {"detail": "Invalid API Key"}), "auth"),
        ("groq", (429, openai_error(code="rate_limit_exceeded")), "rate_limited"),
        (
            "bedrock",
            (429, {"message": "Too many requests"}, {"x-amzn-errortype": "ThrottlingException"}),
            "rate_limited",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
async def test_every_failure_has_a_kind(provider, answer, kind):
    model, server = client(provider, answer)

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert caught.value.kind == kind
    assert len(server.requests) == 1


@pytest.mark.parametrize("echo", [f"Incorrect API key provided: {KEY}.", f"Bearer {KEY}"])
async def test_a_key_that_the_server_echoes_is_not_passed_on(echo):
    model, _ = client("openai", (401, openai_error(echo)))

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert KEY not in str(caught.value)
    assert "[redacted]" in str(caught.value)


@pytest.mark.parametrize(
    ("provider", "answer", "seconds"),
    [
        ("openai", (429, openai_error(), {"retry-after": "7"}), 7.0),
        ("openai", (429, openai_error(), {"retry-after-ms": "250", "retry-after": "1"}), 0.25),
        (
            "anthropic",
            (
                529,
                {"type": "error", "error": {"type": "overloaded_error", "message": "x"}},
                {"retry-after": "3"},
            ),
            3.0,
        ),
        ("google", (429, google_error("RESOURCE_EXHAUSTED", "slow", RETRY_INFO)), 48.0),
    ],
)
async def test_the_time_that_a_server_asks_for_is_waited(provider, answer, seconds):
    clock = VirtualClock()
    good = {"openai": chat()}.get(provider, answer)
    model, server = client(provider, answer, good, clock=clock, request_retries=1)

    with contextlib.suppress(ModelError):
        await model.reply(QUESTION, (FETCH,))

    assert clock.now() == seconds
    assert len(server.requests) == 2


async def test_without_such_a_time_the_wait_doubles():
    clock = VirtualClock()
    model, server = client("openai", (503, openai_error()), clock=clock, request_retries=3)

    with pytest.raises(ModelError):
        await model.reply(QUESTION, (FETCH,))

    assert len(server.requests) == 4
    assert 0.75 * 3.5 <= clock.now() <= 1.25 * 3.5


async def test_a_request_that_succeeds_in_the_end_says_how_often_it_was_sent_again():
    answers = [(429, openai_error()), (500, openai_error()), chat()]
    model, _ = client("openai", *answers, request_retries=4)

    reply = await model.reply(QUESTION, (FETCH,))

    assert (reply.text, reply.request_retries, reply.usage.requests) == ("In 1907.", 2, 1)


@pytest.mark.parametrize(
    "answer",
    [
        (401, openai_error()),
        (400, openai_error()),
        (429, openai_error(code="insufficient_quota", kind="insufficient_quota")),
        {"type": "pong"},
    ],
    ids=["auth", "rejected", "quota", "malformed"],
)
async def test_what_cannot_get_better_is_not_sent_again(answer):
    model, server = client("openai", answer, request_retries=4)

    with pytest.raises(ModelError):
        await model.reply(QUESTION, (FETCH,))

    assert len(server.requests) == 1


async def test_a_wait_that_is_too_long_ends_at_once():
    clock = VirtualClock()
    answer = (429, openai_error(), {"retry-after": "3600"})
    model, _ = client("openai", answer, clock=clock, request_retries=4, max_wait_s=60)

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, (FETCH,))

    assert caught.value.retry_after_s == 3600
    assert clock.now() == 0


async def test_a_server_that_trickles_for_ever_is_given_up():
    class Trickle(httpx2.AsyncByteStream):
        async def __aiter__(self):
            while True:
                yield b" "
                await asyncio.sleep(0.01)

    model = build_model(
        ModelSettings(name="openai:m", base_url="http://h/v1", timeout_s=0.2, request_retries=0),
        transport=httpx2.MockTransport(lambda request: httpx2.Response(200, stream=Trickle())),
        secrets={},
        clock=SystemClock(),
        rng=random.Random(1),
        case_seed="1",
    )

    with pytest.raises(ModelError) as caught:
        await model.reply(QUESTION, ())

    assert caught.value.kind == "timeout"


@pytest.mark.parametrize(
    "provider", ["openai", "openai-responses", "anthropic", "google", "groq", "mistral", "bedrock"]
)
async def test_a_miss_of_the_cassette_passes_through_every_sdk(provider):
    model, server = client(provider, CassetteMissError("never recorded"), request_retries=3)

    with pytest.raises(CassetteMissError):
        await model.reply(QUESTION, ())

    assert len(server.requests) == 1


def test_a_missing_key_names_its_variable():
    with pytest.raises(MissingSecretError, match="ANTHROPIC_API_KEY"):
        client("anthropic", chat(), secrets={})


async def test_a_key_never_goes_to_another_server_by_itself():
    model, server = client("openai", chat(), base_url="http://127.0.0.1:1/v1")

    await model.reply(QUESTION, ())

    assert KEY not in str(server.requests[0].headers)


async def test_a_key_may_be_named_for_another_server():
    settings = {"base_url": "http://127.0.0.1:1/v1", "api_key_env": "GROQ_API_KEY"}
    model, server = client("openai", chat(), **settings)

    await model.reply(QUESTION, ())

    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("name", ["gpt-5", "openai:", "acme:large", ":x"])
def test_an_unknown_model_is_a_configuration_error(name):
    with pytest.raises(ConfigError, match="unknown model"):
        build_model(
            ModelSettings(name=name),
            transport=None,
            secrets={},
            clock=VirtualClock(),
            rng=random.Random(1),
            case_seed="1",
        )
