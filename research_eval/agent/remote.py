"""An agent that stands at a URL: our messages are posted there, and its messages come back."""

from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import httpx
from pydantic import TypeAdapter

from research_eval.agent.custom import Ask, Said
from research_eval.agent.dialogue import Dialogue, opening_message
from research_eval.agent.process import MAX_LINE_BYTES
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError
from research_eval.schema import Record
from research_eval.schema.display import one_line
from research_eval.schema.outside import read_json

__all__ = ["UrlDriver"]

_HEADERS = {
    "content-type": "application/json",
    "accept": "application/json",
    "accept-encoding": "identity",
}


class UrlDriver:
    """Posts the messages of one trial over the transport that records and replays them."""

    def __init__(
        self, url: str, transport: httpx.AsyncBaseTransport, scrub: Callable[[str], str]
    ) -> None:
        """Post nothing yet.

        Args:
            url: Where the agent stands.
            transport: The way there.
            scrub: Takes secrets out of what it says that is no message.
        """
        self._url = url
        self._name = urlsplit(url).netloc
        self._scrub = scrub
        self._client = httpx.AsyncClient(
            transport=transport,
            trust_env=False,
            timeout=None,  # noqa: S113  # the trial's limit ends it
        )
        self._dialogue = Dialogue(self._name, scrub)

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Post the question or the corrective, and serve what comes back until it answers.

        Raises:
            AgentError: If it cannot be reached, or says what is no message.
        """
        outgoing: list[Record] = [opening_message(ask)]
        while True:
            said, results = await self._heard(await self._post(outgoing), ask, desk)
            if said is not None and results:
                raise AgentError(f"{self._name}: answered before it had the results of its tools")
            if said is not None:
                return said
            if not results:
                raise AgentError(f"{self._name}: sent neither an answer nor a tool call")
            outgoing = results

    async def _heard(
        self, messages: Sequence[object], ask: Ask, desk: ToolDesk
    ) -> tuple[Said | None, list[Record]]:
        """Do what messages ask for; return the answer, if there is one, and results of tools."""
        results: list[Record] = []
        for number, message in enumerate(messages, start=1):
            heard = await self._dialogue.hear(self._dialogue.check(message), ask, desk)
            if isinstance(heard, Said):
                if number < len(messages):
                    raise AgentError(f"{self._name}: sent a message after its answer")
                return heard, results
            if heard is not None:
                results.append(heard)
        return None, results

    async def _post(self, messages: Sequence[Record]) -> Sequence[object]:
        """Return the messages that come back."""
        body = b", ".join(message.model_dump_json().encode() for message in messages)
        content = b'{"messages": [' + body + b"]}"
        try:
            async with self._client.stream(
                "POST", self._url, content=content, headers=_HEADERS
            ) as response:
                reply = await self._read(response)
        except httpx.HTTPError as exc:
            words = one_line(self._scrub(str(exc)), 240)
            raise AgentError(f"{self._name}: {type(exc).__name__}: {words}") from exc
        shown = one_line(self._scrub(reply.decode("utf-8", "replace")), 80)
        if response.status_code != 200:
            raise AgentError(f"{self._name}: replied with status {response.status_code}: {shown!r}")
        try:
            value = read_json(reply)
        except (ValueError, UnicodeDecodeError):
            value = None
        found = value.get("messages") if isinstance(value, dict) else None
        if not isinstance(found, list):
            raise AgentError(f'{self._name}: replied with no {{"messages": [...]}}: {shown!r}')
        return TypeAdapter(list[object]).validate_python(found)

    async def _read(self, response: httpx.Response) -> bytes:
        content = bytearray()
        async for part in response.aiter_bytes():
            content += part
            if len(content) > MAX_LINE_BYTES:
                raise AgentError(
                    f"{self._name}: its reply is longer than {MAX_LINE_BYTES // 1024**2} MiB"
                )
        return bytes(content)

    async def aclose(self) -> None:
        """Close the client."""
        await self._client.aclose()
