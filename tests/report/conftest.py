"""Runs made by hand for the tests of reports: small and exact, or large and varied."""

import hashlib
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest

from research_eval.journal import RunFolder
from research_eval.schema import (
    AnswerChecked,
    Citation,
    ConfigurationSummary,
    Failure,
    Fetched,
    ModelCalled,
    PromptRendered,
    ProviderTry,
    Reference,
    ReplayTally,
    RunRecord,
    Searched,
    SearchHit,
    SourceRecord,
    ToolCall,
    ToolCalled,
    TrialKey,
    TrialRecord,
    Usage,
    Verdict,
    Violation,
)

WORDS = [
    "harbour",
    "lantern",
    "copper",
    "meadow",
    "station",
    "archive",
    "northern",
    "granite",
    "survey",
    "ledger",
    "weather",
    "ferry",
    "council",
    "bridge",
    "timber",
    "market",
    "festival",
    "railway",
    "glacier",
    "orchard",
    "winter",
    "museum",
    "quarry",
    "beacon",
]


def configuration(name: str = "alpha", **changes: object) -> ConfigurationSummary:
    """Return a configuration with a chain of two providers."""
    values: dict[str, object] = {
        "name": name,
        "model": "reference:honest",
        "is_reference_agent": True,
        "gate": "default@1",
        "max_retries": 2,
        "max_turns": 16,
        "search": "serper > brave",
        "tools": ("web_search", "fetch"),
        "settings": {"agent": {"max_retries": 2}},
    }
    return ConfigurationSummary.model_validate(values | changes)


def manifest(
    configurations: Iterable[ConfigurationSummary], case_ids: Iterable[str], trials: int = 1
) -> RunRecord:
    """Return the manifest of a replayed run over a synthetic web."""
    return RunRecord(
        experiment="sample",
        experiment_sha256="e" * 64,
        dataset="world",
        dataset_sha256="d" * 64,
        dataset_is_synthetic=True,
        cassettes_sha256="c" * 64,
        code_version="0.1.0",
        packages={"httpx": "0.28.1"},
        model_mode="replay",
        web_mode="replay",
        seed=7,
        trials=trials,
        case_ids=tuple(case_ids),
        configurations=tuple(configurations),
    )


def checked(number: int, answer: str, *bad: str, corrective: str | None = None) -> AnswerChecked:
    """Return an attempt whose URLs are its citations; `bad` holds `kind url` of violations."""
    citations = []
    for word in answer.split():
        if word.startswith(("http://", "https://")):
            start = answer.index(word)
            citations.append(Citation(url=word, start=start, end=start + len(word)))
    violations = []
    for entry in bad:
        kind, _, url = entry.partition(" ")
        start = answer.find(url) if url else None
        violations.append(
            Violation(
                kind=kind,
                url=url or None,
                key=url or None,
                start=start,
                end=None if start is None else start + len(url),
                message=f"{kind}: {url}",
            )
        )
    verdict = Verdict(gate="default@1", citations=tuple(citations), violations=tuple(violations))
    return AnswerChecked(
        attempt=number, answer=answer, verdict=verdict, corrective=corrective, at_s=float(number)
    )


def trial(
    attempts: Iterable[AnswerChecked] = (),
    *,
    case_id: str = "case-1",
    under: str = "alpha",
    number: int = 1,
    events: Iterable[object] = (),
    **changes: object,
) -> TrialRecord:
    """Return a trial that ends as its attempts say, unless `status` is given."""
    attempts = tuple(attempts)
    passed = bool(attempts) and attempts[-1].verdict.passed
    values: dict[str, object] = {
        "case_id": case_id,
        "configuration": under,
        "trial": number,
        "question": "How high is the old lighthouse?",
        "status": "completed" if passed else "rejected",
        "answer": attempts[-1].answer if attempts else None,
        "transcript": (*events, *attempts),
    }
    return TrialRecord.model_validate(values | changes)


def searched(*tries: ProviderTry, served_by: str | None = None) -> Searched:
    """Return a search that these providers took part in."""
    hit = SearchHit(url="https://a.example/page", title="A page", snippet="…", rank=1)
    return Searched(
        query="lighthouse", max_results=5, served_by=served_by, tries=tries,
        hits=(hit,) if served_by else (),
    )  # fmt: skip


def write_run(path: Path, record: RunRecord, trials: Iterable[TrialRecord]) -> RunFolder:
    """Write a run folder and return it."""
    path.mkdir(parents=True, exist_ok=True)
    (path / "manifest.json").write_text(record.model_dump_json(), encoding="utf-8")
    with (path / "trials.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(one.model_dump_json() + "\n" for one in trials)
    return RunFolder(path)


# --- a large and varied run ---------------------------------------------------------------------

AGENTS = {
    "honest": 0.0, "snippet-citer": 1.0, "fabricator": 1.0, "no-citer": 1.0, "repairs-after-1": 1.0,
    "stubborn": 1.0, "mixed-30": 0.3, "smollm2-135m": 0.8,
}  # fmt: skip


def large_run(
    cases: int = 48, trials: int = 3, seed: int = 1
) -> tuple[RunRecord, list[TrialRecord]]:
    """Return a run of eight configurations with searches, failover, retries and errors."""
    rng = random.Random(seed)
    configurations = [
        configuration(
            name,
            model=f"reference:{name}" if name != "smollm2-135m" else "openai:smollm2-135m",
            is_reference_agent=name != "smollm2-135m",
            search="serper > brave" if index % 2 else "brave",
        )
        for index, name in enumerate(AGENTS)
    ]
    ids = [f"case-{n:02d}" for n in range(1, cases + 1)]
    record = manifest(configurations, ids, trials)
    webs = {case_id: _web(rng, case_id) for case_id in ids}
    made = [
        _varied(rng, TrialKey(case_id, one.name, number), webs[case_id])
        for case_id in ids
        for one in configurations
        for number in range(1, trials + 1)
    ]
    return record, made


def _sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def _web(rng: random.Random, case_id: str) -> list[SearchHit]:
    return [
        SearchHit(
            url=f"https://{rng.choice(WORDS)}.example/{case_id}/{rng.choice(WORDS)}-{rank}",
            title=_sentence(rng, 5),
            snippet=_sentence(rng, 30),
            rank=rank,
        )
        for rank in range(1, 8)
    ]


def _varied(rng: random.Random, key: TrialKey, web: list[SearchHit]) -> TrialRecord:
    language, status = rng.choice(("en", "en", "ja", "de")), None
    events: list[object] = [
        PromptRendered(system_prompt="You research. " * 60, tools=("web_search", "fetch"))
    ]
    hits = rng.sample(web, 5)
    fetched = hits[:2]
    events += _research(rng, hits, fetched)
    attempts = _attempts(rng, key.configuration, hits, fetched)
    if key.configuration == "smollm2-135m" and rng.random() < 0.2:
        status, attempts = rng.choice(("error", "limit", "refused")), []
    failure = Failure(kind="timeout", message="the model timed out", turn=2)
    sources = [
        SourceRecord(
            key=hit.url, url=hit.url, title=hit.title, snippet=hit.snippet,
            state="fetched" if hit in fetched else "searched",
            content_sha256=hashlib.sha256(hit.url.encode()).hexdigest() if hit in fetched else None,
            content_chars=4200 if hit in fetched else None,
        )
        for hit in hits
    ]  # fmt: skip
    changes: dict[str, object] = {"status": status} if status else {}
    return trial(
        attempts, case_id=key.case_id, under=key.configuration, number=key.trial, events=events,
        question=f"What is known of the {key.case_id} lantern?", language=language,
        tags=(rng.choice(("single-page", "multi-page", "contradiction")), f"lang-{language}"),
        sources=sources, replay=ReplayTally(hits=9),
        usage=Usage(requests=3 + len(attempts), input_tokens=1800, output_tokens=rng.randint(80, 400)),
        failure=failure if status == "error" else None,
        references=[Reference(url=h.url, key=h.url, title=h.title) for h in fetched],
        **changes,
    )  # fmt: skip


def _research(rng: random.Random, hits: list[SearchHit], fetched: list[SearchHit]) -> list[object]:
    fails = rng.random() < 0.25
    error = ProviderTry(
        provider="serper", outcome="error", error="rate_limited", status=429, requests=2,
        breaker_opened=rng.random() < 0.2,
    )  # fmt: skip
    served = "brave" if fails else "serper"
    good = ProviderTry(provider=served, outcome="served", requests=1, latency_s=0.21)
    call = ToolCall(id="call-1", name="web_search", arguments='{"query": "lantern"}')
    events: list[object] = [
        ModelCalled(turn=1, attempt=1, text="", tool_calls=(call,), finish_reason="tool_calls",
                    usage=Usage(requests=1, input_tokens=600, output_tokens=20), at_s=0.1),
        Searched(query="lantern", max_results=5, served_by=served, hits=tuple(hits),
                 tries=(error, good) if fails else (good,), at_s=0.4),
        ToolCalled(turn=1, tool_call_id="call-1", tool="web_search", arguments=call.arguments,
                   ok=True, result_chars=1800, at_s=0.4),
    ]  # fmt: skip
    for turn, hit in enumerate(fetched, start=2):
        call = ToolCall(id=f"call-{turn}", name="fetch", arguments=f'{{"url": "{hit.url}"}}')
        events += [
            ModelCalled(turn=turn, attempt=1, text="", tool_calls=(call,), usage=Usage(requests=1),
                        finish_reason="tool_calls", at_s=turn + 0.1),
            Fetched(url=hit.url, final_url=hit.url, status=200, ok=True, title=hit.title,
                    content_sha256=hashlib.sha256(hit.url.encode()).hexdigest(),
                    content_chars=4200, at_s=turn + 0.5),
            ToolCalled(turn=turn, tool_call_id=call.id, tool="fetch", arguments=call.arguments,
                       ok=True, result_chars=4300, at_s=turn + 0.5),
        ]  # fmt: skip
    return events


def _attempts(
    rng: random.Random, agent: str, hits: list[SearchHit], fetched: list[SearchHit]
) -> list[AnswerChecked]:
    sins = rng.random() < AGENTS[agent]
    repairs = {"repairs-after-1": 1, "mixed-30": 1, "smollm2-135m": 2}.get(agent)
    attempts = []
    for number in range(1, 4):
        if not sins or (repairs is not None and number > repairs):
            text = f"{_sentence(rng, 40)} See {fetched[0].url} and {fetched[1].url} for more."
            return [*attempts, checked(number, text)]
        attempts.append(_sin(rng, agent, number, hits))
    return attempts


def _sin(rng: random.Random, agent: str, number: int, hits: list[SearchHit]) -> AnswerChecked:
    corrective = "Cite only pages that you opened." if number < 3 else None
    if agent == "no-citer":
        return checked(number, _sentence(rng, 40), "no_citation", corrective=corrective)
    url = hits[-1].url if agent == "snippet-citer" else "https://made-up.example/1"
    kind = "search_only" if agent == "snippet-citer" else "unknown_url"
    text = f"{_sentence(rng, 40)} Source: {hits[0].url} and {url} say so."
    return checked(number, text, f"{kind} {url}", corrective=corrective)


@pytest.fixture(scope="session")
def made() -> SimpleNamespace:
    """The functions with which tests make records by hand."""
    return SimpleNamespace(
        configuration=configuration,
        manifest=manifest,
        checked=checked,
        trial=trial,
        searched=searched,
        write_run=write_run,
        large_run=large_run,
    )


@pytest.fixture(scope="session")
def large() -> tuple[RunRecord, list[TrialRecord]]:
    """A run of 8 configurations, 6 cases and 3 trials."""
    return large_run(cases=6)


@pytest.fixture
def make_folder(tmp_path: Path) -> Callable[..., RunFolder]:
    """Return a function that writes a run folder below the test's own folder."""

    def make(record: RunRecord, trials: Iterable[TrialRecord], name: str = "run") -> RunFolder:
        return write_run(tmp_path / name, record, trials)

    return make
