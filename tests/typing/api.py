"""The public API as callers write it; checked by mypy, never run."""

from collections.abc import Sequence
from pathlib import Path

from research_eval import (
    AgentOutcome,
    Message,
    ModelReply,
    RunFolder,
    SourceRegistry,
    ToolSpec,
    TrialRecord,
    Verdict,
    extract_citations,
    load_cases,
    load_experiment,
    load_gate,
    research,
    url_key,
)
from research_eval.schema import Fetched, SearchHit


class CustomModel:
    """A model of the caller's own."""

    name = "own"

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> ModelReply:
        """Say the same thing always."""
        del messages, tools
        return ModelReply(text="No.")


def judge(answer: str) -> Verdict:
    """Judge one answer."""
    ledger = SourceRegistry()
    ledger.add_hit(SearchHit(url="https://a.example/", rank=1))
    ledger.add_page(Fetched(url="https://b.example/", ok=True), "text")
    return load_gate("default").check(answer, ledger)


async def ask(question: str) -> AgentOutcome:
    """Ask one question."""
    return await research(question, CustomModel(), world=True)


def read(run: Path) -> list[TrialRecord]:
    """Read a run."""
    return [trial for trial in RunFolder(run).trials() if trial.status == "completed"]


def names(path: Path) -> tuple[list[str], list[str], list[str]]:
    """Return what an experiment and a dataset call things."""
    experiment = load_experiment(path)
    return (
        [item.name for item in experiment.settings.configuration],
        [case.id for case in load_cases(experiment.dataset_path)],
        [url_key(citation.url).value for citation in extract_citations("https://a.example/")],
    )
