"""Tell what happened in a trial, event by event, and get the record that the runner would have kept."""

import hashlib
from pathlib import Path

from research_eval.gate import load_gate
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    AnswerChecked,
    Event,
    Failure,
    Fetched,
    ModelCalled,
    ProviderTry,
    Searched,
    SearchHit,
    ToolCalled,
    TrialRecord,
    Usage,
)

__all__ = ["Story"]


class Story:
    """A trial under way; `record()` ends it."""

    def __init__(self, question="What is the toll at Morvane bridge?", *, gate="default"):
        self.question = question
        self.pages: dict[str, str] = {}
        self._gate = load_gate(gate)
        self._events: list[Event] = []
        self._ledger = SourceRegistry()
        self._usage = Usage()
        self._turn = 0
        self._attempt = 1
        self._time = 0.0

    def page(self, sha256):
        """Return a page's text, as a run folder does."""
        return self.pages.get(sha256)

    def turn(self, *, tokens=(100, 20), retries=0):
        usage = Usage(requests=1, input_tokens=tokens[0], output_tokens=tokens[1])
        self._turn += 1
        self._time += 1.0
        self._usage += usage
        self._events.append(
            ModelCalled(
                turn=self._turn,
                attempt=self._attempt,
                text="",
                finish_reason="stop",
                usage=usage,
                request_retries=retries,
                at_s=self._time,
            )
        )
        return self

    def search(self, *urls, tries=(), served_by="serper", unrecorded=False):
        hits = tuple(SearchHit(url=url, title="A hit", rank=i + 1) for i, url in enumerate(urls))
        for hit in hits:
            self._ledger.add_hit(hit)
        self._tool("web_search", ok=served_by is not None)
        self._events.append(
            Searched(
                query="q",
                max_results=5,
                hits=hits,
                served_by=served_by,
                tries=tries or (ProviderTry(provider="serper", outcome="served", requests=1),),
                unrecorded=unrecorded,
                at_s=self._time,
            )
        )
        return self

    def fetch(self, url, text="", *, error=None, **fields):
        digest = hashlib.sha256(text.encode()).hexdigest() if text else None
        if digest:
            self.pages[digest] = text
        event = Fetched(
            url=url,
            ok=error is None,
            error=error,
            content_sha256=digest,
            content_chars=len(text) if text else None,
            at_s=self._time,
            **{"final_url": url if error is None else None, **fields},
        )
        self._ledger.add_page(event, text or None)
        self._tool("fetch", ok=error is None)
        self._events.append(event)
        return self

    def _tool(self, name, *, ok):
        self.turn()
        self._events.append(
            ToolCalled(
                turn=self._turn,
                tool_call_id=f"call_{self._turn}",
                tool=name,
                arguments="{}",
                ok=ok,
                error=None if ok else "failed",
                at_s=self._time,
            )
        )

    def answer(self, text, *, last=False):
        """Put an answer to the gate; `last` means that no corrective follows."""
        self.turn()
        verdict = self._gate.check(text, self._ledger)
        corrective = None if verdict.passed or last else self._gate.corrective(verdict)
        self._events.append(
            AnswerChecked(
                attempt=self._attempt,
                answer=text,
                verdict=verdict,
                corrective=corrective,
                at_s=self._time,
            )
        )
        self._attempt += 1
        return self

    def record(
        self, *, status=None, error=None, case_id="toll", configuration="c", trial=1, **fields
    ):
        attempts = [event for event in self._events if isinstance(event, AnswerChecked)]
        passed = bool(attempts) and attempts[-1].verdict.passed
        if status is None:
            status = "error" if error else "completed" if passed else "rejected"
        return TrialRecord(
            case_id=case_id,
            configuration=configuration,
            trial=trial,
            question=self.question,
            status=status,
            answer=attempts[-1].answer if attempts else None,
            usage=self._usage,
            failure=Failure(kind=error, message="it broke") if error else None,
            sources=self._ledger.records(),
            transcript=tuple(self._events),
            **fields,
        )

    def keep_pages(self, folder: Path):
        """Write the pages to where a run folder has them."""
        for digest, text in self.pages.items():
            path = folder / "pages" / digest[:2] / f"{digest}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
