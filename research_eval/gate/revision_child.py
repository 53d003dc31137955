"""Rule on answers by a gate of another revision: requests on standard input, verdicts on standard output.

Run as a script by `research_eval.gate.revision`; whatever the gate itself prints goes to standard error.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from research_eval.errors import ResearchEvalError
from research_eval.gate import load_gate
from research_eval.gate.kind import kinds_of
from research_eval.gate.protocol import Gate
from research_eval.identity import code_of_module
from research_eval.ledger import SourceRegistry
from research_eval.schema import SourceRecord

__all__ = ["serve"]


def serve(name: str, tree: str) -> None:
    """Load the gate `name`, which must stand below `tree`, and rule until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def say(value: object) -> None:
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    try:
        gate = load_gate(name)
        say(_hello(gate, name, Path(tree)))
        for line in sys.stdin:
            asked = json.loads(line)
            records = _known(asked["records"])
            verdict = gate.check(asked["answer"], SourceRegistry.from_records(records))
            say({"verdict": verdict.model_dump(mode="json")})
    except ResearchEvalError as exc:
        say({"error": str(exc)})


def _known(entries: list[dict[str, object]]) -> Iterator[SourceRecord]:
    """Yield the records that the revision understands: an older one knows no failed or given URL."""
    for entry in entries:
        fields = {key: value for key, value in entry.items() if key in SourceRecord.model_fields}
        try:
            yield SourceRecord.model_validate(fields)
        except ValidationError:
            continue


def _hello(gate: Gate, name: str, tree: Path) -> dict[str, object]:
    """Return what the other side must know of the gate, or why it is not the one that was meant."""
    module = name.partition(":")[0]
    file = Path(getattr(sys.modules[module], "__file__", None) or os.devnull).resolve()
    if not file.is_relative_to(tree):
        return {"error": f"{module} was loaded from {file}, which is not that revision's"}
    code = code_of_module(module)
    kinds = [kind.model_dump(mode="json") for kind in kinds_of(gate)]
    return {"id": gate.id, "code_sha256": code.sha256 if code else None, "kinds": kinds}


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2])
