"""A gate of one's own: whatever it raises or returns is an error that names it, and ends no run."""

import asyncio
from collections.abc import Callable

import pytest

from research_eval.errors import (
    CassetteWriteError,
    ConfigError,
    ModelError,
    RunOverError,
    TrialError,
)
from research_eval.gate import CitationGate
from research_eval.gate.custom import CustomGate
from research_eval.ledger import SourceRegistry
from research_eval.schema import Citation, Verdict, Violation


class Speechless(Exception):  # noqa: N818
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Odd(Verdict):
    """A verdict whose answer to a question is an error."""

    @property
    def passed(self) -> bool:
        raise RuntimeError("odd")


class Custom:
    """A gate that does what it is told."""

    id = "own@1"

    def __init__(self, do: Callable[[], object]) -> None:
        self._do = do

    def check(self, answer: str, ledger: SourceRegistry) -> Verdict:
        del answer, ledger
        return self._do()  # type: ignore[return-value]  # on purpose

    def corrective(self, verdict: Verdict) -> str:
        del verdict
        return self._do()  # type: ignore[return-value]  # on purpose


def _raise(exc: BaseException) -> object:
    raise exc


@pytest.mark.parametrize(
    "exc",
    [
        RuntimeError("x"), RecursionError("x"), MemoryError("x"), StopIteration("x"), Speechless(),
        SystemExit(3), asyncio.CancelledError(), TrialError("x"), ModelError("x"),
        ConfigError("x"), CassetteWriteError("x"), RunOverError("x"),
    ],
    ids=lambda exc: type(exc).__name__,
)  # fmt: skip
@pytest.mark.parametrize("what", ["check", "corrective"])
def test_whatever_it_raises_is_an_error_with_its_name(what: str, exc: BaseException) -> None:
    gate = CustomGate("my:Gate", Custom(lambda: _raise(exc)))

    with pytest.raises(ConfigError, match=f"gate 'my:Gate': {what}: {type(exc).__name__}"):
        _call(gate, what)


def _call(gate: CustomGate, what: str) -> object:
    if what == "check":
        return gate.check("text", SourceRegistry())
    return gate.corrective(Verdict(gate="own@1"))


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        True,
        "pass",
        Verdict.model_construct(gate="own@1", violations=5),
        Verdict.model_construct(gate=3, violations=()),
        Verdict(gate="own@1", violations=(Violation(kind="unknown_url", start=3, end=1),)),
        Verdict(gate="own@1", violations=(Violation(kind="unknown_url", start=0, end=99),)),
        Verdict(gate="own@1", violations=(Violation(kind="unknown_url", start=-1, end=1),)),
        Verdict(gate="own@1", citations=(Citation(url="x", start=2, end=9),)),
        Verdict(gate="own@1", violations=(Violation(kind="undeclared"),)),
    ],
    ids=str,
)
def test_what_is_no_verdict_on_the_answer_is_refused(verdict: object) -> None:
    with pytest.raises(ConfigError, match="gate 'my:Gate': check: "):
        CustomGate("my:Gate", Custom(lambda: verdict)).check("text", SourceRegistry())


def test_a_verdict_is_data_whatever_its_class() -> None:
    found = CustomGate("my:Gate", Custom(lambda: Odd(gate="own@1"))).check("text", SourceRegistry())

    assert type(found) is Verdict
    assert found.passed


def test_a_gate_that_rules_as_it_should_is_passed_on() -> None:
    text = "See https://a.example/x."
    gate = CustomGate("my:Gate", CitationGate())

    assert gate.check(text, SourceRegistry()) == CitationGate().check(text, SourceRegistry())


def test_ctrl_c_is_the_user_s_and_not_the_gate_s() -> None:
    with pytest.raises(KeyboardInterrupt):
        CustomGate("my:Gate", Custom(lambda: _raise(KeyboardInterrupt()))).check(
            "", SourceRegistry()
        )
