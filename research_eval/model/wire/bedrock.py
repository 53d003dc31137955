"""Bedrock: boto3's requests carried by the same transport as every other provider's."""

from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import anyio.from_thread
import boto3  # type: ignore[import-untyped]
import httpx2
from botocore.awsrequest import AWSPreparedRequest, AWSResponse  # type: ignore[import-untyped]
from botocore.config import Config  # type: ignore[import-untyped]
from botocore.exceptions import ConnectionError as BotoConnectionError, ReadTimeoutError  # type: ignore[import-untyped]
from botocore.session import Session as BotoSession  # type: ignore[import-untyped]
from botocore.tokens import FrozenAuthToken  # type: ignore[import-untyped]
from pydantic_ai.models import Model
from pydantic_ai.models.bedrock import BedrockConverseModel
from pydantic_ai.providers.bedrock import BedrockProvider

__all__ = ["bedrock_model"]

_NOT_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "accept-encoding", "connection"}
)


class _Raw(BytesIO):
    """A body in the form that botocore reads."""

    def stream(self, amt: int = 65536, **_: object) -> Any:  # noqa: ANN401  # an iterator of bytes
        """Yield the body in pieces."""
        while piece := self.read(amt):
            yield piece


class _Session:
    """Stands in for botocore's own HTTP session; runs in the worker thread that boto3 runs in."""

    def __init__(self, http: httpx2.AsyncClient) -> None:
        self._http = http

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        """Carry one request over the trial's transport."""
        answer = anyio.from_thread.run(self._send, request)
        headers = {k: v for k, v in answer.headers.items() if k.lower() != "content-encoding"}
        return AWSResponse(str(answer.url), answer.status_code, headers, _Raw(answer.content))

    async def _send(self, request: AWSPreparedRequest) -> httpx2.Response:
        headers = {
            name: value if isinstance(value, str) else value.decode()
            for name, value in request.headers.items()
            if name.lower() not in _NOT_OURS
        }
        try:
            return await self._http.request(
                request.method, request.url, headers=headers, content=request.body
            )
        except httpx2.TimeoutException as exc:
            raise ReadTimeoutError(endpoint_url=request.url) from exc
        except httpx2.TransportError as exc:
            raise BotoConnectionError(error=exc) from exc

    def close(self) -> None:
        """Leave the client to whoever made it."""


class _TokenSession(BotoSession):  # type: ignore[misc]  # botocore ships no types
    """Signs with a bearer token, and looks for no other credentials."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self._bearer = token

    def get_auth_token(self, **_: object) -> FrozenAuthToken:
        """Return the token that was handed in."""
        return FrozenAuthToken(self._bearer)

    def get_credentials(self) -> None:
        """Return nothing: neither environment nor metadata service is asked."""


def bedrock_model(name: str, *, base_url: str, key: str, http: httpx2.AsyncClient) -> Model:
    """Return a Bedrock model whose HTTP goes through `http`, signed with a bearer token."""
    host = urlsplit(base_url).hostname or ""
    parts = host.split(".")
    region = parts[1] if host.endswith(".amazonaws.com") and len(parts) > 3 else "us-east-1"
    session = boto3.Session(botocore_session=_TokenSession(key), region_name=region)
    config = Config(signature_version="bearer", retries={"total_max_attempts": 1})
    client = session.client("bedrock-runtime", config=config, endpoint_url=base_url)
    client._endpoint.http_session = _Session(http)  # noqa: SLF001  # botocore offers no other place
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client))
