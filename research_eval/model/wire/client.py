"""A provider's model behind our protocol: one request a turn, sent again when that may help."""

import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Protocol

import httpx2
from pydantic_ai import exceptions as wire
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings as WireSettings

from research_eval.clock import Clock
from research_eval.errors import ModelError
from research_eval.model.limits import Limiter, Permit
from research_eval.model.provider_policy import ProviderPolicy, is_unknown_model
from research_eval.model.wire.convert import to_parameters, to_wire
from research_eval.model.wire.error import is_filtered, to_model_error
from research_eval.model.wire.repairing import RepairingTransport
from research_eval.model.wire.reply import from_wire
from research_eval.schema import Message, ModelReply, ToolSpec, Usage
from research_eval.schema.outside import safe_text
from research_eval.waiting import Waits

__all__ = ["PASSING", "RetryPolicy", "WireModel"]

PASSING = frozenset({"rate_limited", "overloaded", "timeout", "server", "connection"})
"""Kinds of errors after which the same request may succeed."""

THROTTLING = frozenset({"rate_limited", "overloaded"})
"""Kinds after which a provider is asked less for a while, by every trial."""

FINAL = frozenset({"auth", "quota"})
"""Kinds that every further request would meet."""


class RetryPolicy(Protocol):
    """What `WireModel` reads of a model's settings."""

    @property
    def request_retries(self) -> int:
        """Times that a request is sent again."""
        ...

    @property
    def max_wait_s(self) -> float:
        """Longest wait before a request retry where the provider asks for none, in seconds."""
        ...

    @property
    def stream(self) -> bool:
        """Whether replies are streamed."""
        ...


class WireModel:
    """Continues a conversation through one provider."""

    def __init__(
        self,
        name: str,
        model: Model,
        *,
        settings: WireSettings,
        policy: RetryPolicy,
        clock: Clock,
        rng: random.Random,
        secrets: tuple[str, ...] = (),
        limiter: Limiter | None = None,
        http: httpx2.AsyncClient | None = None,
        waits: Waits | None = None,
        provider_policy: ProviderPolicy | None = None,
        take_notes: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        """Take a model of the wire library.

        Args:
            name: The model as the experiment names it.
            model: Who speaks the provider's format.
            settings: Sampling and limits of every request.
            policy: How often and how long a failed request is retried.
            clock: What back-off waits on.
            rng: Where the jitter of back-off comes from.
            secrets: Values that no error message may hold.
            limiter: What the trials of a run share towards this provider.
            http: The client that carries its requests, closed with the model.
            waits: Is told when the trial is held back.
            provider_policy: How long the provider may make us wait, and whether it refuses to serve.
            take_notes: Gives what the transport noticed in the last answer.
        """
        self.name = name
        self._model = model
        self._settings = settings
        self._policy = policy
        self._clock = clock
        self._rng = rng
        self._secrets = secrets
        self._limiter = limiter
        self._http = http
        self._waits = waits or Waits(clock)
        self._provider_policy = provider_policy or ProviderPolicy()
        self._take_notes = take_notes

    async def aclose(self) -> None:
        """Close the HTTP client."""
        if self._http is not None:
            await self._http.aclose()

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Return the next assistant message.

        Raises:
            ModelError: If the provider failed after the request retries that are allowed.
        """
        retries = 0
        while True:
            try:
                reply = await self._limited(messages, tools)
            except ModelError as exc:
                self._waits.check()
                wait = self._wait(exc, retries)
                if self._limiter is not None and exc.kind in THROTTLING:
                    self._limiter.throttled(exc.retry_after_s or wait or 0.0)
                if wait is None:
                    raise
                retries += 1
                await self._back_off(wait)
            else:
                return reply.model_copy(update={"request_retries": retries}) if retries else reply

    async def _back_off(self, wait_s: float) -> None:
        with self._waits.held():
            if self._limiter is None:
                await self._clock.sleep(wait_s)
            else:
                await self._limiter.back_off(wait_s)

    async def _limited(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        if self._limiter is None:
            return await self._request(messages, tools)
        async with self._permitted(self._limiter, _estimate(messages)) as permit:
            reply = await self._request(messages, tools)
            used = reply.usage.input_tokens + reply.usage.output_tokens
            self._limiter.succeeded(permit, used)
            return reply

    @asynccontextmanager
    async def _permitted(self, limiter: Limiter, tokens: int) -> AsyncIterator[Permit]:
        """Wait for the rate limiter, which does not count as the trial's time; ask no provider that is out."""
        self._require_service()
        async with AsyncExitStack() as stack:
            with self._waits.held():
                permit = await stack.enter_async_context(limiter.call(tokens))
            self._require_service()
            yield permit

    def _require_service(self) -> None:
        outage = self._provider_policy.outage()
        if outage is not None:
            raise ModelError(outage.message, kind=outage.kind, status=outage.status)

    async def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        turn = 1 + sum(1 for message in messages if message.role == "assistant")
        names = [tool.name for tool in tools]
        try:
            response = await self._send(messages, tools)
            return from_wire(response, turn=turn, tools=names, notes=self._take_notes())
        except ModelError:
            raise
        except Exception as exc:  # the library's own errors, and bugs of SDKs
            if isinstance(exc, wire.ContentFilterError) or is_filtered(exc):
                text = safe_text(getattr(exc, "message", ""))
                usage = Usage(requests=1, unmeasured_requests=1)
                return ModelReply(text=text, finish_reason="content_filter", usage=usage)
            raise to_model_error(exc, model=self.name, secrets=self._secrets) from exc

    async def _send(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelResponse:
        history, parameters = to_wire(messages), to_parameters(tools)
        if not self._policy.stream:
            return await model_request(
                self._model,
                history,
                model_settings=self._settings,
                model_request_parameters=parameters,
                instrument=False,
            )
        async with model_request_stream(
            self._model,
            history,
            model_settings=self._settings,
            model_request_parameters=parameters,
            instrument=False,
        ) as stream:
            async for _ in stream:
                pass
            return stream.get()

    def _wait(self, exc: ModelError, retries: int) -> float | None:
        """Return the seconds until the next try; `None` where there is none.

        Raises:
            ModelError: If the provider asks for a longer wait than is allowed.
        """
        provider_policy = self._provider_policy
        if exc.kind in FINAL or is_unknown_model(exc):
            provider_policy.refuse(exc)
        if exc.kind not in PASSING:
            return None
        asked = exc.retry_after_s
        if asked is not None and asked > provider_policy.max_pause_s:
            exc = provider_policy.too_long(exc, asked)
            provider_policy.refuse(exc)
            raise exc
        if provider_policy.outage() is not None:
            return None
        if retries >= self._policy.request_retries:
            return None
        return min(self._delay(retries), self._policy.max_wait_s) if asked is None else asked

    def _delay(self, retries: int) -> float:
        """Return a delay that doubles, for where the provider does not say how long to wait."""
        return float(0.5 * 2**retries * (0.75 + self._rng.random() / 2))


def _estimate(messages: Sequence[Message]) -> int:
    """Return about how many tokens a call will take, before it is made."""
    return 500 + sum(len(message.text) for message in messages) // 4


def http_client(
    transport: RepairingTransport, *, timeout_s: float, headers: Mapping[str, str]
) -> httpx2.AsyncClient:
    """Return a client for one trial's model traffic; bodies come as gzip or plain, never opaque."""
    return httpx2.AsyncClient(
        transport=transport,
        timeout=timeout_s,
        headers={"accept-encoding": "gzip", **headers},
        trust_env=False,
    )
