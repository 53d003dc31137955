"""Write what logs hold as a run, behind which everything works: gate, scorers, report, compare."""

import hashlib
import os
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from research_eval.dataset import Case
from research_eval.distribution import code_version
from research_eval.errors import UsageError
from research_eval.gate import Gate
from research_eval.gate.kind import kinds_of
from research_eval.journal import JournalWriter, RunFolder, write_manifest, write_whole
from research_eval.logs.chat import (
    anthropic_steps,
    chatml_steps,
    langgraph_steps,
    openai_steps,
    read_chat,
)
from research_eval.logs.mapping import Mapping as ToolNames
from research_eval.logs.otel import read_otel
from research_eval.logs.plain import read_plain, read_reports
from research_eval.logs.rebuild import Rebuilt, rebuild
from research_eval.logs.session import read_session
from research_eval.logs.step import Log, Tally
from research_eval.logs.trace import read_atif, read_inspect, read_responses
from research_eval.schema import ConfigurationSummary, RunRecord, TrialKey
from research_eval.secret import last_scrub

__all__ = ["FORMATS", "Imported", "import_logs"]

Reader = Callable[[Path, Tally], Iterator[Log]]

FORMATS: Mapping[str, Reader] = {
    "openai": lambda path, tally: read_chat(path, openai_steps, tally),
    "anthropic": lambda path, tally: read_chat(path, anthropic_steps, tally),
    "claude-code": read_session,
    "langgraph": lambda path, tally: read_chat(path, langgraph_steps, tally),
    "chatml": lambda path, tally: read_chat(path, chatml_steps, tally),
    "inspect": read_inspect,
    "otel": read_otel,
    "atif": read_atif,
    "responses": read_responses,
    "jsonl": read_plain,
    "reports": read_reports,
}
"""The readers of logs by the name of their format."""


class Imported(NamedTuple):
    """What an import came to."""

    tally: Tally
    statuses: Counter[str]
    """Trials by how they ended."""
    fidelities: Counter[str]
    """Trials by what their ledger rests on."""


class _Cases:
    """The questions of an import: those of a dataset, or those that the logs ask."""

    def __init__(self, given: Sequence[Case]) -> None:
        self._is_given = bool(given)
        self._by_id = {case.id: case for case in given}
        self._by_question = {_normalised(case.question): case for case in given}

    def __iter__(self) -> Iterator[Case]:
        return iter(self._by_id.values())

    def of(self, log: Log, found: Rebuilt) -> Case | None:
        """Return the case of a question; `None` if the dataset has none."""
        name = _slug(log.id or "")
        if self._is_given:
            by_id = self._by_id.get(name) if found.number == 1 else None
            return by_id or self._by_question.get(_normalised(found.question))
        if known := self._by_question.get(_normalised(found.question)):
            return known
        name = name or _slug(Path(log.place).name)
        if found.number > 1:
            name = f"{name}-{found.number}"
        if name in self._by_id:
            name = f"{name}-{hashlib.sha256(found.question.encode()).hexdigest()[:8]}"
        case = Case(id=name, question=found.question or "(the log does not say the question)")
        self._by_id[name] = self._by_question[_normalised(found.question)] = case
        return case


def _normalised(question: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", question).split()).casefold()


def _slug(name: str) -> str:
    """Return a name of lower-case letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:80].strip("-")


def import_logs(
    form: str,
    files: Sequence[Path],
    out: Path,
    *,
    gate: Gate,
    tools: ToolNames,
    cases: Sequence[Case] = (),
    name: str = "imported",
    progress: Callable[[int], None] = lambda _: None,
) -> Imported:
    """Read logs, judge their answers again by `gate`, and write the run `out`, which is new.

    Args:
        form: One of `FORMATS`.
        files: The logs.
        out: The run's folder.
        gate: Judges every answer.
        tools: What the tools of the logs do.
        cases: The questions with expected facts; logs of other questions are counted and left out.
        name: What the run calls its experiment.
        progress: Is told how many trials are written.

    Raises:
        UsageError: If a file cannot be opened, a tool is not mapped, nothing can be kept, or `out`
            is in use.
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: is not an empty folder; give another --out")
    for file in files:
        if not file.is_file():
            raise UsageError(f"{file}: is no file")
    out = out.absolute()
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    draft.mkdir(parents=True)
    try:
        done = _Import(form, RunFolder(draft), gate, tools, cases).run(files, name, progress)
        draft.replace(out)
    except OSError as exc:
        raise UsageError(f"{exc.filename or out}: cannot be written: {exc.strerror}") from exc
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return done


class _Import:
    def __init__(
        self, form: str, folder: RunFolder, gate: Gate, tools: ToolNames, cases: Sequence[Case]
    ) -> None:
        self._form = form
        self._folder = folder
        self._gate = gate
        self._tools = tools
        self._cases = _Cases(cases)
        self._unnamed = "agent"
        """The configuration of logs that name no model."""
        self._models: dict[str, str] = {}
        """The model of each configuration."""
        self._counts: Counter[tuple[str, str]] = Counter()
        self._done = Imported(Tally(), Counter(), Counter())

    def run(self, files: Sequence[Path], name: str, progress: Callable[[int], None]) -> Imported:
        journal = JournalWriter(self._folder)
        try:
            for file in files:
                self._unnamed = (len(files) > 1 and _slug(file.stem)) or "agent"
                self._read(file, journal, progress)
            self._require_something(files)
            manifest = self._manifest(files, name)
            lines = (
                case.model_dump_json(exclude_defaults=True).encode() + b"\n" for case in self._cases
            )
            write_whole(self._folder.cases_path, lines)
            write_manifest(self._folder, manifest)
            journal.finish(
                TrialKey(case_id, configuration, trial)
                for case_id in manifest.case_ids
                for trial in range(1, manifest.trials + 1)
                for configuration in self._models
            )
        finally:
            journal.close()
        return self._done

    def _read(self, file: Path, journal: JournalWriter, progress: Callable[[int], None]) -> None:
        tally = self._done.tally
        for log in FORMATS[self._form](file, tally):
            try:
                for found in rebuild(log, self._tools, self._gate, self._keep, tally):
                    self._add(log, found, journal)
                    progress(tally.kept)
            except (UsageError, OSError):
                raise
            except Exception as exc:  # noqa: BLE001  # a log is a stranger's data
                tally.refuse(f"cannot be read: {type(exc).__name__}", log.place)

    def _keep(self, text: str) -> str:
        """Write a text of the log at once, so that memory does not grow with it."""
        content = last_scrub().scrub(text).encode()
        digest = hashlib.sha256(content).hexdigest()
        path = self._folder.page_path(digest)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        return digest

    def _add(self, log: Log, found: Rebuilt, journal: JournalWriter) -> None:
        tally = self._done.tally
        case = self._cases.of(log, found)
        if case is None:
            tally.skip("questions that the dataset does not have")
            return
        configuration = _slug(found.model) or self._unnamed
        self._models.setdefault(configuration, found.model)
        self._counts[case.id, configuration] += 1
        fields = {
            "case_id": case.id,
            "configuration": configuration,
            "trial": self._counts[case.id, configuration],
            "language": case.language,
            "tags": case.tags,
        }
        record = found.record.model_copy(update=fields)
        journal.add(record, {}, {})
        tally.kept += 1
        self._done.statuses[record.status] += 1
        if record.fidelity is not None:
            self._done.fidelities[record.fidelity.ledger] += 1

    def _require_something(self, files: Sequence[Path]) -> None:
        tally = self._done.tally
        if tally.unmapped:
            names = ", ".join(f"{name} ({n})" for name, n in tally.unmapped.most_common(20))
            raise UsageError(
                f"{files[0]}: nobody knows what these tools do: {names}; "
                'say it in --mapping FILE, for instance [tools."NAME"] does = "nothing"'
            )
        if not tally.kept:
            reasons = {**tally.refused, **tally.skipped}
            why = "; ".join(f"{reason}: {count}" for reason, count in reasons.items())
            raise UsageError(f"{files[0]}: holds no question with a reply ({why or 'it is empty'})")

    def _manifest(self, files: Sequence[Path], name: str) -> RunRecord:
        tally = self._done.tally
        cases = tuple(self._cases)
        about = {
            "format": self._form,
            "files": [_file(file) for file in files],
            "tools": self._tools.model_dump(mode="json"),
            "kept": tally.kept,
            "skipped": dict(tally.skipped),
            "refused": dict(tally.refused),
        }
        digest = hashlib.sha256(str(about["files"]).encode())
        ledger = ", ".join(sorted(self._done.fidelities))
        note = f"imported from logs ({self._form}); how it is known what was opened: {ledger}"
        summary = partial(
            ConfigurationSummary,
            is_reference_agent=False,
            gate=self._gate.id,
            max_retries=0,
            max_turns=0,
            search="as the log says",
            tools=(),
            settings={},
            note=note,
            violation_kinds=kinds_of(self._gate),
        )
        return RunRecord(
            experiment=name,
            experiment_sha256=digest.hexdigest(),
            dataset="logs",
            dataset_sha256=hashlib.sha256(
                b"".join(case.model_dump_json().encode() + b"\n" for case in cases)
            ).hexdigest(),
            dataset_is_synthetic=False,
            cassettes_sha256=None,
            code_version=code_version(),
            packages={},
            model_mode="imported",
            web_mode="imported",
            seed=0,
            trials=max(self._counts.values()),
            settings={"import": about},
            case_ids=tuple(case.id for case in cases),
            configurations=tuple(
                summary(name=name, model=model or "unknown") for name, model in self._models.items()
            ),
        )


def _file(path: Path) -> dict[str, str | int]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest, "bytes": path.stat().st_size}
