"""What a user's code raises is its own fault, whatever class it is of, and is said the same in every run."""

import asyncio

import pytest

from research_eval.errors import CassetteMissError, ConfigError, RunOverError
from research_eval.gate.custom import CustomGate
from research_eval.ledger import SourceRegistry
from research_eval.plugin import fault_of, is_shutdown, shown
from research_eval.tool.fetch.html import read_html
from research_eval.tool.fetch.page import ExtractorError
from research_eval.tool.search.plugged import PluggedProvider
from research_eval.tool.search.protocol import SearchError

pytestmark = pytest.mark.anyio


class CustomError(BaseException):
    """Of no ordinary class."""


class WordlessError(Exception):
    def __str__(self):
        raise ValueError("no words")


RAISED = (
    ValueError("half \ud83d"),
    RecursionError("deep"),
    MemoryError(),
    OSError(28, "No space left on device"),
    StopIteration(7),
    ExceptionGroup("many", [ValueError("one")]),
    BaseExceptionGroup("many", [CustomError("one")]),
    SystemExit(3),
    GeneratorExit(),
    asyncio.CancelledError(),
    ConfigError("mine"),
    RunOverError("mine"),
    CustomError("own"),
    WordlessError(),
)
EACH = pytest.mark.parametrize("raised", RAISED, ids=lambda raised: type(raised).__name__)


class Plugin:
    """A gate, a search provider and an extractor that raise."""

    name = id = "mine@1"

    def __init__(self, raised):
        self.raised = raised

    def check(self, answer, ledger):
        raise self.raised

    def corrective(self, verdict):
        raise self.raised

    async def search(self, query, max_results):
        raise self.raised

    def extract(self, html, *, url):
        raise self.raised


@EACH
async def test_a_gate_that_raises_is_named_whatever_it_raises(raised):
    gate = CustomGate("mine", Plugin(raised))

    with pytest.raises(ConfigError, match=f"gate 'mine': check: {type(raised).__name__}"):
        gate.check("In 1907.", SourceRegistry())


@EACH
async def test_a_search_provider_that_raises_has_crashed(raised):
    provider = PluggedProvider(Plugin(raised), entry="mine")

    with pytest.raises(SearchError, match=type(raised).__name__) as caught:
        await provider.search("port", 5)

    assert caught.value.kind == "crashed"


@EACH
async def test_an_extractor_that_raises_fails_on_that_page(raised):
    with pytest.raises(ExtractorError, match=type(raised).__name__):
        read_html("<p>x", url="https://a.example/", headers={}, extractor=Plugin(raised).extract)


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), CassetteMissError("never recorded")])
async def test_an_interrupt_and_a_missing_recording_are_nobody_s_fault(raised):
    assert is_shutdown(raised)
    with pytest.raises(type(raised)):
        await PluggedProvider(Plugin(raised), entry="mine").search("port", 5)


async def test_a_task_that_is_cancelled_ends_and_is_no_fault():
    class Waiting:
        name = "waiting"

        async def search(self, query, max_results):
            await asyncio.sleep(60)

    task = asyncio.create_task(PluggedProvider(Waiting(), entry="mine").search("port", 5))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


def test_no_address_in_memory_stands_in_a_record():
    assert shown(object()) == "<object object>"
    assert fault_of(ValueError(object())) == "ValueError: <object object>"
    assert fault_of(WordlessError()) == "WordlessError"
