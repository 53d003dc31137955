"""An agent that is a Python function or class: it is called with a question and tools that we serve.

Code of other people may block, so that it never runs on our event loop: a plain function runs in a
thread of its own, a coroutine function on one event loop that all such agents of the process share.
"""

import asyncio
import inspect
import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

import httpx
from pydantic import ValidationError
from typing_extensions import override

from research_eval.agent.custom import Ask, Said
from research_eval.agent.message import ToldUsage
from research_eval.agent.tool_desk import ToolDesk
from research_eval.errors import AgentError, ConfigError
from research_eval.plugin import fault_of, is_shutdown, load_plugin
from research_eval.schema import ToolCall, ToolSpec
from research_eval.schema.outside import safe_text, safe_value

__all__ = ["CallableDriver", "ToolText", "Tools", "check_agent", "load_agent"]

PARAMETERS = ("question", "tools", "transport", "deadline_s", "attempt", "corrective")
"""What an agent may ask for by naming it among its parameters."""

T = TypeVar("T")


class ToolText(str):
    """What a tool gives back: the text that a model reads, and whether the call worked."""

    ok: bool
    error: str | None

    __slots__ = ("error", "ok")


class Tools:
    """The tools of a trial; in a coroutine function each call is awaited."""

    def __init__(
        self, specs: tuple[ToolSpec, ...], call: Callable[[str, Mapping[str, Any]], Any]
    ) -> None:
        self.specs = [spec.model_dump() for spec in specs]
        """Name, description and JSON Schema of the parameters of each tool, to show to a model."""
        self._call = call

    def call(self, name: str, **arguments: Any) -> Any:  # noqa: ANN401  # a text or an awaitable
        """Call any tool by its name; what a model can put right comes back as a text."""
        return self._call(name, arguments)

    def web_search(self, query: str, **arguments: Any) -> Any:  # noqa: ANN401
        """Search; `max_results` from 1 to 10."""
        return self._call("web_search", {"query": query, **arguments})

    def fetch(self, url: str, **arguments: Any) -> Any:  # noqa: ANN401
        """Open a page; `max_length` and `start_index` choose a part of a long one."""
        return self._call("fetch", {"url": url, **arguments})


@lru_cache(maxsize=64)  # looking for entry points costs more than a short trial
def load_agent(name: str) -> Callable[..., Any]:
    """Return the function or class called `name`.

    Raises:
        ConfigError: If it is not there, cannot be called, or wants a parameter that nobody gives.
    """
    found = load_plugin("agent", name, {})
    if not callable(found):
        raise ConfigError(f"agent.callable {name!r}: expected a function or a class")
    if not inspect.isclass(found):
        _wanted(found, name)
    return found


def _wanted(function: Callable[..., Any], name: str) -> tuple[str, ...]:
    """Return which of `PARAMETERS` a function takes."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return PARAMETERS
    for one in parameters:
        is_by_name = one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}
        is_missing = one.default is one.empty and one.kind is not one.VAR_POSITIONAL
        if is_missing and not (is_by_name and one.name in PARAMETERS):
            known = ", ".join(PARAMETERS)
            raise ConfigError(
                f"agent.callable {name!r}: parameter {one.name!r} is unknown; known: {known}"
            )
    return tuple(one.name for one in parameters if one.name in PARAMETERS)


def check_agent(name: str, *, wants_retries: bool) -> None:
    """Refuse an agent that cannot be called, or cannot honour the retries that are asked for.

    Raises:
        ConfigError: As said.
    """
    found = load_agent(name)
    if wants_retries and not inspect.isclass(found) and "corrective" not in _wanted(found, name):
        raise ConfigError(
            f"agent.max_retries: {name} takes no parameter 'corrective', so that it cannot retry;"
            " give it one, or leave max_retries out"
        )


class CallableDriver:
    """Calls a function once an attempt; a class is made once a trial and its object called."""

    def __init__(self, name: str, transport: httpx.AsyncBaseTransport) -> None:
        """Load the agent; `transport` carries its model calls.

        Raises:
            ConfigError: If it cannot be loaded or called.
        """
        self._name = name
        self._transport = transport
        self._function = load_agent(name)
        self._is_made = not inspect.isclass(self._function)

    async def answer(self, ask: Ask, desk: ToolDesk) -> Said:
        """Call the agent and return what it answers.

        Raises:
            AgentError: If it raised, or returned no answer.
        """
        work = _Work(asyncio.get_running_loop(), desk, ask, self._transport)
        try:
            if not self._is_made:
                self._function = await _in_thread(self._function)
                self._is_made = True
            function = self._function
            names = _wanted(function, self._name)
            is_async = _is_async(function)
            given = work.given(names, is_async=is_async)
            value = await (_on_agents_loop if is_async else _in_thread)(lambda: function(**given))
        except (ConfigError, AgentError):
            raise
        except BaseException as exc:
            if is_shutdown(exc):
                raise
            raise AgentError(f"{self._name}: {fault_of(exc)}") from exc
        return _said(value, self._name, is_final="corrective" not in names)

    async def aclose(self) -> None:
        """Leave; a thread that still runs finds its tools closed."""


def _is_async(function: Callable[..., Any]) -> bool:
    method = getattr(function, "__call__", function)  # noqa: B004  # of an object, its method
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method)


def _said(value: object, name: str, *, is_final: bool) -> Said:
    """Return what a returned value says: a text, or a mapping with `answer` and perhaps `usage`."""
    if isinstance(value, str):
        return Said(safe_text(str(value)), is_final=is_final)
    expected = "expected a text, or a mapping with answer, usage, model, refused"
    if not isinstance(value, Mapping) or not isinstance(value.get("answer"), str):
        raise AgentError(f"{name}: {expected}; returned {type(value).__name__}")
    unknown = sorted(map(str, value.keys() - {"answer", "usage", "model", "refused"}))
    if unknown:
        raise AgentError(f"{name}: {expected}; returned {unknown[0]!r} as well")
    try:
        usage = ToldUsage.model_validate(value.get("usage") or {}).usage
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        place = ".".join(map(str, ("usage", *first["loc"])))
        raise AgentError(f"{name}: {place}: {first['msg']}") from exc
    model = safe_text(str(value.get("model") or ""))[:200]
    refused = bool(value.get("refused"))
    return Said(safe_text(value["answer"]), usage, model, refused, is_final)


class _Work:
    """What one call of an agent is given, on whichever loop or thread it runs."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        desk: ToolDesk,
        ask: Ask,
        transport: httpx.AsyncBaseTransport,
    ) -> None:
        self._loop = loop
        self._desk = desk
        self._ask = ask
        self._transport = transport
        self._calls = 0

    def given(self, names: tuple[str, ...], *, is_async: bool) -> dict[str, Any]:
        call = self._call_async if is_async else self._call
        way = _AsyncWay if is_async else _Way
        values = {
            "question": self._ask.question,
            "tools": Tools(self._ask.tools, call),
            "transport": way(self._transport, self._loop),
            "deadline_s": self._ask.timeout_s,
            "attempt": self._ask.attempt,
            "corrective": self._ask.corrective,
        }
        return {name: values[name] for name in names}

    def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolText:
        return self._start(name, arguments).result()

    def _call_async(self, name: str, arguments: Mapping[str, Any]) -> Awaitable[ToolText]:
        return asyncio.wrap_future(self._start(name, arguments))

    def _start(self, name: str, arguments: Mapping[str, Any]) -> Future[ToolText]:
        self._calls += 1
        text = json.dumps(safe_value(dict(arguments)), ensure_ascii=False)
        call = ToolCall(
            id=f"call_{self._ask.attempt}_{self._calls}", name=safe_text(str(name)), arguments=text
        )
        return asyncio.run_coroutine_threadsafe(self._served(call), self._loop)

    async def _served(self, call: ToolCall) -> ToolText:
        outcome = await self._desk.call(call)
        text = ToolText(outcome.text)
        text.ok, text.error = outcome.ok, outcome.error
        return text


class _Way(httpx.BaseTransport):
    """Carries the requests of a plain function over our loop's transport."""

    def __init__(self, inner: httpx.AsyncBaseTransport, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        whole = _whole(self._inner, request)
        return asyncio.run_coroutine_threadsafe(whole, self._loop).result()


class _AsyncWay(httpx.AsyncBaseTransport):
    """The same for a coroutine function, which runs on another loop."""

    def __init__(self, inner: httpx.AsyncBaseTransport, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop

    @override
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        whole = _whole(self._inner, request)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(whole, self._loop))


async def _whole(inner: httpx.AsyncBaseTransport, request: httpx.Request) -> httpx.Response:
    """Return the response with its body read, so that it can leave the loop."""
    plain = httpx.Request(
        request.method, request.url, headers=request.headers, content=request.content
    )
    plain.extensions = request.extensions
    response = await inner.handle_async_request(plain)
    if not isinstance(response.stream, httpx.AsyncByteStream):
        raise TypeError("the transport gave a body that cannot be awaited")
    body = b"".join([part async for part in response.stream])
    await response.aclose()
    return httpx.Response(
        response.status_code, headers=response.headers, stream=httpx.ByteStream(body)
    )


async def _in_thread(work: Callable[[], T]) -> T:
    """Return what `work` returns in a thread that ends with the process, whether it ends or not."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            result = work()
        except BaseException as exc:  # noqa: BLE001  # SystemExit too: it is theirs, not ours
            can_be_held = isinstance(exc, Exception) and not isinstance(exc, StopIteration)
            outcome: BaseException = exc if can_be_held else _as_error(exc)
            with suppress(Exception):
                future.set_exception(outcome)
        else:
            with suppress(Exception):  # nobody waits for it any more
                future.set_result(result)

    threading.Thread(target=run, daemon=True, name="agent").start()
    return await asyncio.wrap_future(future)


async def _on_agents_loop(work: Callable[[], Any]) -> Any:  # noqa: ANN401  # of their code
    async def run() -> object:
        try:
            return await work()
        except Exception:
            raise
        except BaseException as exc:
            if is_shutdown(exc) and not isinstance(exc, KeyboardInterrupt):
                raise
            raise _as_error(exc) from exc

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run(), _agents_loop()))


def _as_error(exc: BaseException) -> AgentError:
    return AgentError(f"the agent's code raised {fault_of(exc)}")


@lru_cache(maxsize=1)
def _agents_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that coroutine functions share, so that they may share connections."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True, name="agents").start()
    return loop
