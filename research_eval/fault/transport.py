"""Put faults between a client of httpx or httpx2 and whatever answers it: a cassette, a recorder, the network."""

import random
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import httpx2
from typing_extensions import override

from research_eval.clock import Clock
from research_eval.fault.plan import Alter, Answer, Break, FaultPlan
from research_eval.fault.settings import IS_INJECTED, Channel, FaultSettings
from research_eval.http_library import AnyRequest, AnyTransport, ByteStream, library_of

__all__ = ["FaultTransport"]

_DROPPED = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
"""Headers that speak of a body that is no longer sent as it was."""


class FaultTransport(AnyTransport):
    """Makes the requests fail that the rules name; every other one passes untouched.

    On a virtual clock delays and time-outs pass at once; on the system's clock they are waited for.
    """

    def __init__(
        self,
        inner: httpx.AsyncBaseTransport | httpx2.AsyncBaseTransport,
        faults: Sequence[FaultSettings],
        *,
        channel: Channel,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._inner: Any = inner
        self._clock = clock
        self._plan = FaultPlan(faults, channel=channel, clock=clock, rng=rng)

    @override
    async def handle_async_request(
        self, request: AnyRequest
    ) -> Any:  # httpx and httpx2 share no type
        limits = request.extensions.get("timeout") or {}
        struck = self._plan.strike(request.url.host, request.url.path, limits)
        if struck is None:
            return await self._inner.handle_async_request(request)
        if struck.after_s:
            await self._clock.sleep(struck.after_s)
        if isinstance(struck, Break):
            raise _exception(struck, request)
        if isinstance(struck, Answer):
            return library_of(request).Response(
                struck.status,
                headers=dict(struck.headers),
                content=struck.body,
                request=request,
                extensions={IS_INJECTED: True},
            )
        return await self._altered(struck, request)

    async def _altered(self, struck: Alter, request: AnyRequest) -> Any:  # noqa: ANN401  # httpx and httpx2 share no type
        response = await self._inner.handle_async_request(request)
        if struck.mutate is None and struck.then is None:
            return response
        body = await response.aread()
        await response.aclose()
        kept = [(k, v) for k, v in response.headers.raw if k.lower() not in _DROPPED]
        changed = struck.mutate(body) if struck.mutate else body
        if struck.then is not None:
            headers = [*kept, (b"content-length", b"%d" % len(changed))]
            stream = _HalfStream(changed, struck.then, request, self._clock)
            return library_of(request).Response(
                response.status_code, headers=headers, stream=stream
            )
        extensions = {IS_INJECTED: True}
        return library_of(request).Response(
            response.status_code, headers=kept, content=changed, extensions=extensions
        )

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()


class _HalfStream(ByteStream):
    """Half a body, then an exception."""

    def __init__(self, body: bytes, then: Break, request: AnyRequest, clock: Clock) -> None:
        self._body = body
        self._then = then
        self._request = request
        self._clock = clock

    @override
    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body[: len(self._body) // 2]
        if self._then.after_s:
            await self._clock.sleep(self._then.after_s)
        raise _exception(self._then, self._request)


def _exception(broken: Break, request: AnyRequest) -> Exception:
    kind = getattr(library_of(request), broken.exception)
    error: Exception = kind(broken.message, request=request)
    return error
