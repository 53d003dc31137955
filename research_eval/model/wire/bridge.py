"""An httpx client on top of an httpx2 client, for the SDKs that have not moved to httpx2."""

import httpx
import httpx2
from typing_extensions import override

__all__ = ["bridged_client"]


class _Bridge(httpx.AsyncBaseTransport):
    """Carries httpx requests over an httpx2 client."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        sent = self._http.build_request(
            request.method,
            str(request.url),
            headers=[
                (name, value)
                for name, value in request.headers.raw
                if name.lower() != b"accept-encoding"
            ],
            content=await request.aread(),
            timeout=request.extensions.get("timeout", {}).get("read"),
        )
        try:
            answer = await self._http.send(sent)
        except httpx2.TimeoutException as exc:
            raise httpx.ReadTimeout(str(exc), request=request) from exc
        except httpx2.TransportError as exc:
            raise httpx.ConnectError(str(exc), request=request) from exc
        headers = [
            (name, value)
            for name, value in answer.headers.raw
            if name.lower() not in {b"content-encoding", b"content-length", b"transfer-encoding"}
        ]
        return httpx.Response(
            answer.status_code, headers=headers, content=answer.content, request=request
        )


def bridged_client(http: httpx2.AsyncClient) -> httpx.AsyncClient:
    """Return an httpx client whose requests go out through `http`."""
    return httpx.AsyncClient(transport=_Bridge(http), trust_env=False)
