"""Rebuild a trial from the steps of a log: ledger, events, attempts with verdicts, how it ended."""

import json
import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

from research_eval.gate import Gate
from research_eval.gate.source import references_of, register_given
from research_eval.logs.history import MAX_RESULT_CHARS, Keep, WebHistory
from research_eval.logs.mapping import Mapping, ToolMapping
from research_eval.logs.reading import first_of, hits_of, urls_of
from research_eval.logs.step import (
    Broken,
    Call,
    Found,
    Log,
    Opened,
    PersonSaid,
    Result,
    Said,
    Tally,
)
from research_eval.schema import (
    AnswerChecked,
    Event,
    Failure,
    Fidelity,
    ModelCalled,
    Reference,
    ToolCall,
    ToolCalled,
    TrialRecord,
    TrialStatus,
    Usage,
)
from research_eval.schema.outside import safe_text

__all__ = ["Rebuilt", "rebuild"]


class Rebuilt(NamedTuple):
    """One question of a log, answered or not."""

    question: str
    number: int
    """Which question of its conversation, from 1."""
    model: str
    record: TrialRecord
    """Without the case and the configuration that it belongs to."""


class _Open(NamedTuple):
    """A call that waits for its result."""

    call: Call
    turn: int
    is_side: bool


def rebuild(log: Log, mapping: Mapping, gate: Gate, keep: Keep, tally: Tally) -> Iterator[Rebuilt]:
    """Yield the questions of a conversation, one trial each; they share one ledger.

    A person's words after an answer are the next question, unless the mapping knows them as a
    corrective: then the next answer is a further attempt.
    """
    builder = _Builder(log, mapping, gate, keep, tally)
    for step in log.steps:
        if isinstance(step, PersonSaid) and (done := builder.ask(step.text)) is not None:
            yield done
        elif not isinstance(step, PersonSaid):
            builder.take(step)
    if (done := builder.end()) is not None:
        yield done


class _Builder:
    """The state of one conversation."""

    def __init__(self, log: Log, mapping: Mapping, gate: Gate, keep: Keep, tally: Tally) -> None:
        self._log = log
        self._mapping = mapping
        self._gate = gate
        self._keep = keep
        self._tally = tally
        self._web = WebHistory(mapping, keep, tally, self._emit)
        self._waiting: dict[str, deque[_Open]] = defaultdict(deque)
        self._number = 0
        self._question: str | None = None
        self._model = log.model or ""
        self._reset()

    def _reset(self) -> None:
        self._events: list[Event] = []
        self._turn = 0
        self._reply_at = -1
        """Where the event of the last reply stands."""
        self._failure: str | None = None
        self._attempt = 1
        self._last: Said | None = None
        self._report: str | None = None
        """The answer, where a tool wrote it."""

    def _emit(self, event: Event) -> None:
        self._events.append(event)

    def ask(self, text: str) -> Rebuilt | None:
        """Take a person's words; return the trial that they end."""
        if self._question is not None and self._last is None:
            self._question += "\n\n" + text  # nobody answered yet
            return None
        if self._question is not None and self._answer() is not None and self._is_corrective(text):
            self._check(corrective=text)
            self._attempt += 1
            self._last = self._report = None
            return None
        done = self.end()
        self._question = text
        register_given(text, self._web.ledger)
        return done

    def _is_corrective(self, text: str) -> bool:
        pattern = self._mapping.corrective
        return bool(pattern) and re.search(pattern, text) is not None

    def take(self, step: Said | Result | Found | Opened | Broken) -> None:
        """Take what the model said, or what came back."""
        match step:
            case Said():
                self._say(step)
            case Result():
                self._result(step)
            case Found():
                self._web.searched(step.query, step.hits, step.by)
            case Opened():
                self._web.opened(step)
            case Broken():
                self._failure = safe_text(step.message)[:500]

    def _say(self, said: Said) -> None:
        new = said.calls
        self._failure = None
        self._model = self._model or said.model
        event = ModelCalled(
            turn=self._turn + 1,
            attempt=self._attempt,
            text=safe_text(said.text),
            tool_calls=tuple(
                ToolCall(id=safe_text(c.id), name=safe_text(c.name), arguments=_json(c.arguments))
                for c in said.calls
            ),
            finish_reason=said.finish,
            usage=said.usage,
            model=safe_text(said.model),
        )
        if said.continues and self._reply_at >= 0:
            said = self._continued(said, event)
        else:
            self._turn += 1
            self._reply_at = len(self._events)
            self._emit(event)
        if not said.is_side:
            self._last = said
        for call in new:
            if self._waiting[call.id]:
                self._tally.skip("ids of tool calls that stand twice")
            if call.name not in self._mapping.tools:
                self._tally.unmapped[safe_text(call.name)] += 1
            self._waiting[call.id].append(_Open(call, self._turn, said.is_side))
            tool = self._tool(call.name)
            if tool.does == "answer":
                self._report = self._written(tool, call) or self._report

    def _continued(self, said: Said, event: ModelCalled) -> Said:
        """Add a piece to the reply before; return the reply as it stands."""
        old = self._events[self._reply_at]
        if not isinstance(old, ModelCalled):
            raise TypeError("the last reply is no reply")
        text = "\n".join(filter(None, (old.text, event.text)))
        self._events[self._reply_at] = old.model_copy(
            update={
                "text": text,
                "tool_calls": old.tool_calls + event.tool_calls,
                "finish_reason": event.finish_reason,
                "usage": event.usage if event.usage.requests else old.usage,
            }
        )
        before = self._last.calls if self._last is not None else ()
        return said._replace(text=text, calls=before + said.calls)

    def _tool(self, name: str) -> ToolMapping:
        tool = self._mapping.tools.get(name)
        if tool is None:
            return ToolMapping(does="nothing")
        return tool

    @staticmethod
    def _written(tool: ToolMapping, call: Call) -> str | None:
        path = first_of(call.arguments, ("path", "file_path", "filename"))
        if tool.path and not (isinstance(path, str) and re.search(tool.path, path)):
            return None
        text = first_of(call.arguments, tool.argument)
        return safe_text(text) if isinstance(text, str) else None

    def _result(self, result: Result) -> None:
        waiting = self._waiting.get(result.call_id)
        if not waiting:
            self._tally.skip("results without a call")
            return
        call, turn, _ = waiting.popleft()
        text = safe_text(result.text[:MAX_RESULT_CHARS])
        tool = self._tool(call.name)
        web = tool.does in {"search", "open", "click"}
        failed = result.is_error or (web and (not text.strip() or self._mapping.fails(text)))
        self._events.append(
            ToolCalled(
                turn=turn,
                tool_call_id=safe_text(call.id),
                tool=safe_text(call.name),
                arguments=_json(call.arguments),
                ok=not failed,
                error=(text[:500] or "empty") if failed else None,
                result_chars=len(result.text),
                result_sha256=self._keep(text),
            )
        )
        if tool.does == "search":
            query = " | ".join(urls_of(first_of(call.arguments, tool.query)))
            self._web.searched(
                query,
                () if failed else hits_of(text, query),
                None if failed else call.name,
            )
        elif tool.does == "open":
            self._web.open_all(tool, call, text, result)
        elif tool.does == "click":
            self._web.click(tool, call, text, failed=failed)

    def _answer(self) -> str | None:
        """Return the answer as it stands: what a tool wrote, else the last reply without a call."""
        if self._report is not None:
            return self._report
        if self._last is None or self._last.calls:
            return None
        return safe_text(self._last.text) or None

    def _check(self, corrective: str | None = None) -> AnswerChecked:
        answer = self._answer() or ""
        verdict = self._gate.check(answer, self._web.ledger)
        if not self._log.has_ledger:
            verdict = verdict.model_copy(update={"violations": ()})
        event = AnswerChecked(
            attempt=self._attempt, answer=answer, verdict=verdict, corrective=corrective
        )
        self._events.append(event)
        return event

    def end(self) -> Rebuilt | None:
        """Return the trial of the question that was asked last, if one was."""
        if self._question is None:
            return None
        self._unanswered()
        status, failure, checked = self._ending()
        self._number += 1
        done = Rebuilt(
            self._question,
            self._number,
            self._model,
            self._record(status, failure, checked),
        )
        self._question = None
        self._reset()
        self._web.carry_over()
        return done

    def _unanswered(self) -> None:
        """Note the calls that the log gives no result of."""
        lost = sum(map(len, self._waiting.values()))
        if lost:
            self._tally.skip("tool calls without a result", lost)
        self._waiting.clear()

    def _ending(self) -> tuple[TrialStatus, Failure | None, AnswerChecked | None]:
        if self._failure is not None:
            return "error", Failure(kind="log", message=self._failure), None
        finish = self._last.finish if self._last is not None else "stop"
        answer = self._answer()
        missing = None if self._report is not None else self._missing(finish, answer)
        if missing is not None:
            return missing[0], Failure(kind=missing[1], message=missing[2]), None
        checked = self._check()
        if not self._log.has_ledger:
            return "unjudged", None, checked
        return ("completed" if checked.verdict.passed else "rejected"), None, checked

    def _missing(self, finish: str, answer: str | None) -> tuple[TrialStatus, str, str] | None:
        """Return how a question without an answer ended: status, kind of failure, words."""
        if finish == "length":
            return "cut", finish, "the log says that the reply was cut"
        if finish in {"refusal", "content_filter"}:
            return "refused", finish, (answer or finish)[:500]
        if answer is not None:
            return None
        if self._last is not None and not self._last.calls:
            return "empty", "empty", "the last reply has no text"
        return "limit", "log_ended", "the log ends before an answer"

    def _record(
        self, status: TrialStatus, failure: Failure | None, checked: AnswerChecked | None
    ) -> TrialRecord:
        references: tuple[Reference, ...] = ()
        if status == "completed" and checked is not None:
            references = references_of(checked.verdict, self._web.ledger)
        return TrialRecord(
            case_id="",
            configuration="",
            trial=1,
            question=self._question or "",
            status=status,
            answer=checked.answer if checked is not None else None,
            references=references,
            usage=sum((e.usage for e in self._events if isinstance(e, ModelCalled)), Usage()),
            failure=failure,
            sources=self._web.records(),
            transcript=tuple(self._events),
            fidelity=Fidelity(ledger=self._web.fidelity() if self._log.has_ledger else "none"),
        )


def _json(arguments: object) -> str:
    return safe_text(json.dumps(arguments, ensure_ascii=False))[:20_000]
