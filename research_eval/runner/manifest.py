"""What a run says of itself: everything resolved, so that a report can name what it measured."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from research_eval.agent import UNIDENTIFIED, agent_code
from research_eval.cassette import Mode
from research_eval.cassette.opening import open_store
from research_eval.dataset import Case
from research_eval.errors import UsageError
from research_eval.experiment import Configuration, Experiment
from research_eval.gate import load_gate
from research_eval.gate.kind import kinds_of
from research_eval.runner.identity import changed_code, plugged_in
from research_eval.runner.pricing import price_of
from research_eval.schema import ConfigurationSummary, Recordings, RunRecord

__all__ = ["differences", "make_manifest"]

PACKAGES = ("faust-cchardet", "httpx", "httpx2", "pydantic-ai-slim", "pypdfium2", "selectolax")
"""Distributions whose version can change what a trial records."""

PLACED = frozenset({"name", "dataset", "synthetic", "seed", "trials", "configuration"})
"""Settings of an experiment that stand in a manifest under a name of their own."""

WITHOUT_EFFECT = frozenset({"limits", "network", "require"})
"""Settings of an experiment that change no result."""


def make_manifest(
    experiment: Experiment,
    cases: Sequence[Case],
    configurations: Iterable[Configuration],
    *,
    model_mode: Mode,
    web_mode: Mode,
    cassettes_sha256: str | None,
    on: date,
) -> RunRecord:
    """Return the manifest of a run over `cases` and `configurations`, with the prices of a day."""
    settings = experiment.settings
    chosen = tuple(configurations)
    base = experiment.path.parent
    summaries = tuple(_summary(configuration, on, base) for configuration in chosen)
    is_narrowed = len(chosen) < len(settings.configuration)
    is_replay = model_mode == web_mode == "replay"
    return RunRecord(
        experiment=settings.name,
        experiment_sha256=settings.model_copy(update={"configuration": chosen}).digest(),
        dataset=Path(settings.dataset).as_posix(),
        dataset_sha256=_digest_of_cases(cases),
        dataset_is_synthetic=settings.synthetic,
        cassettes_sha256=cassettes_sha256,
        recordings=_recordings(experiment) if is_narrowed and is_replay else None,
        code_version=_version("research-eval"),
        packages={name: _version(name) for name in PACKAGES},
        plugins=plugged_in(chosen),
        model_mode=model_mode,
        web_mode=web_mode,
        seed=settings.seed,
        trials=settings.trials,
        settings=settings.model_dump(mode="json", exclude={*PLACED, *WITHOUT_EFFECT}),
        case_ids=tuple(case.id for case in cases),
        configurations=summaries,
        requirements=settings.require,
    )


def _recordings(experiment: Experiment) -> Recordings:
    """Return the digests of all that an experiment has recorded."""
    folder = experiment.cassettes_path
    names = [configuration.name for configuration in experiment.settings.configuration]
    found = {name: _digest_of_cassettes(folder / name) for name in names}
    return Recordings(
        web=_digest_of_cassettes(folder / "web") or "",
        models={name: digest for name, digest in found.items() if digest},
    )


def _digest_of_cassettes(folder: Path) -> str | None:
    """Return the digest of what was recorded, or `None` if it cannot be read, asked for or not."""
    try:
        store = open_store(folder)
    except (UsageError, OSError):
        return None
    try:
        return store.digest()
    except (UsageError, OSError):
        return None
    finally:
        store.close()


def _summary(configuration: Configuration, on: date, base: Path) -> ConfigurationSummary:
    providers = [provider.provider for provider in configuration.search.chain]
    tools = configuration.agent.tools
    gate = load_gate(configuration.gate)
    return ConfigurationSummary(
        name=configuration.name,
        model=configuration.model.name,
        is_reference_agent=configuration.model.is_reference_agent,
        gate=gate.id,
        max_retries=configuration.agent.max_retries,
        max_turns=configuration.agent.max_turns,
        search=" > ".join(providers) or "none",
        tools=tools if tools is not None else ("web_search", "fetch") if providers else ("fetch",),
        settings=configuration.model_dump(mode="json", exclude={"price", "note"}),
        price=price_of(configuration, on),
        note=configuration.note,
        agent_code=agent_code(configuration.agent, base),
        violation_kinds=kinds_of(gate),
    )


def _digest_of_cases(cases: Iterable[Case]) -> str:
    hasher = hashlib.sha256()
    for case in cases:
        hasher.update(case.model_dump_json().encode() + b"\n")
    return hasher.hexdigest()


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def differences(old: RunRecord, new: RunRecord) -> list[str]:
    """Return what would make a resumed run measure something else, one line each, old -> new.

    Another selection of cases or configurations comes first and alone: digests differ with it.
    """
    found = [
        *_selected("cases", old.case_ids, new.case_ids),
        *_selected("configurations", _names(old), _names(new)),
    ]
    found += [
        f"configuration {one.name}: nobody knows whether its agent's code is the same; "
        "name its files in agent.files"
        for one in new.configurations
        if one.agent_code == UNIDENTIFIED
    ]
    if found:
        return found
    found += changed_code(old, new)
    _compare("", *_deciding(old, new), found)
    found.sort(key=lambda line: "_sha256: " in line)  # which may differ for what the others say
    return [line for line in found if len(found) == 1 or not line.startswith("experiment_sha256")]


def _names(manifest: RunRecord) -> tuple[str, ...]:
    return tuple(configuration.name for configuration in manifest.configurations)


def _selected(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Say how a selection differs, if it does."""
    if old == new:
        return
    lacks = [name for name in old if name not in set(new)]
    adds = [name for name in new if name not in set(old)]
    parts = [
        f"{word} {', '.join(names[:3])}{', …' if len(names) > 3 else ''}"
        for word, names in (("without", lacks), ("with", adds))
        if names
    ]
    how = " and ".join(parts) or "in another order"
    yield f"{what}: {len(old)} -> {len(new)}, {how}; select the same ones or give another --out"


def _deciding(old: RunRecord, new: RunRecord) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what decides a result: neither versions, which a report names, nor prices and notes.

    Recordings of configurations that were left out decide nothing; the others have one digest.
    """
    apart = {"packages", "code_version", "plugins", "recordings", "requirements"}
    before, after = (one.model_dump(mode="json", exclude=apart) for one in (old, new))
    for one in (before, after):
        for configuration in one["configurations"]:
            configuration.pop("price", None)
            configuration.pop("note", None)
    settings = [one.pop("settings") for one in (before, after)]
    if not all(settings):  # one is of an earlier version, which leaves the digest
        return before, after
    for one, more in zip((before, after), settings, strict=True):
        del one["experiment_sha256"]  # which tells 1 from 1.0
        one.update(more)
        if "record" not in {new.model_mode, new.web_mode}:
            one.pop("cassettes", None)  # what they hold counts, by its digest
    return before, after


def _compare(place: str, old: Any, new: Any, found: list[str]) -> None:  # noqa: ANN401  # JSON
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            _compare(f"{place}.{key}" if place else key, old.get(key), new.get(key), found)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            _compare(f"{place}.{index}", one, other, found)
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        found.append(f"{place}: {_short(old)} -> {_short(new)}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
