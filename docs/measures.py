"""Write docs/measures.md, docs/glossary.md and all JSON Schemas of docs/ from the declarations in the code, or check.

python docs/measures.py            write them
python docs/measures.py --check    exit 1 if they differ
"""

import json
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from research_eval.agent.message import message_schema
from research_eval.analysis.comparison import CompareOutput
from research_eval.analysis.output import ScoreOutput
from research_eval.experiment.json_schema import case_schema, experiment_schema, schema_text
from research_eval.gate.kind import KINDS
from research_eval.report.output import ReportOutput
from research_eval.runner.check import CheckOutput
from research_eval.schema import ENDINGS
from research_eval.schema.fidelity import FIDELITIES
from research_eval.scorer import BUILT_IN, Measure
from research_eval.scorer.judge import JudgeScorer
from research_eval.scorer.measure import measures_of

DOCS = Path(__file__).resolve().parent
SCHEMAS = {
    "score": ScoreOutput,
    "compare": CompareOutput,
    "report": ReportOutput,
    "check": CheckOutput,
}

HEAD = """# Measures

Made by `python docs/measures.py` from what each scorer, and each gate, declares.

Unit: `yes_no` is 1 or 0 once an answer, `share` lies between 0 and 1 of the citations, claims or facts of an answer, `points` is a mark that may be negative.
A measure without a word under *applies* applies to every trial that the infrastructure did not break.
A name that ends with `*` stands for every measure whose name starts with what is before it.
**Bold** measures are those that `research-eval score` prints without `--all`.
"""


def lines() -> Iterator[str]:
    """Yield the page."""
    yield HEAD
    for name, scorer in {**BUILT_IN, "judge": JudgeScorer}.items():
        default = "" if getattr(scorer, "is_default", True) else ", not in every report"
        yield f"## Scorer `{name}`{default}\n"
        yield "| measure | heading | unit | better | meaning | applies | source |"
        yield "| --- | --- | --- | --- | --- | --- | --- |"
        yield from map(row, measures_of(scorer))
        yield ""
    yield "## Kinds of violation\n"
    yield "Each is a measure of the first and of the last answer: `first_KIND`, `final_KIND`.\n"
    yield "| kind | label | meaning | what the model is told |"
    yield "| --- | --- | --- | --- |"
    for kind in KINDS.values():
        yield f"| `{kind.name}` | {kind.label} | {kind.meaning} | {kind.words} |"


def glossary() -> Iterator[str]:
    """Yield the glossary: concepts, words of records, and the words that were given up."""
    words = tomllib.loads((DOCS / "words.toml").read_text(encoding="utf-8"))
    yield "# Glossary\n"
    yield "Made by `python docs/measures.py` from `docs/words.toml` and the code. One concept has one word, everywhere.\n"
    yield "## Concepts\n"
    yield "| word | meaning | declared in |\n| --- | --- | --- |"
    for one in sorted(words["concept"], key=lambda one: one["word"].lower()):
        yield f"| {one['word']} | {one['meaning']} | `{one['code']}` |"
    yield "\n## How a trial ends\n"
    yield "`status` of a trial record, declared in `research_eval.schema:ENDINGS`.\n"
    yield "| status | meaning | counts in the rates of answers that passed |\n| --- | --- | --- |"
    for name, ending in ENDINGS.items():
        yield f"| `{name}` | {ending.meaning} | {'yes' if ending.is_rated else 'no'} |"
    yield "\n## Fidelity\n"
    yield "How the ledger knows that a page was opened, declared in `research_eval.schema.fidelity:FIDELITIES`.\n"
    yield "| word | meaning |\n| --- | --- |"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in FIDELITIES.items())
    yield "\n## Kinds of violation\n"
    yield "Declared in `research_eval.gate.kind:KINDS`; a gate may declare more ([CONTRIBUTING](../CONTRIBUTING.md)).\n"
    yield "| kind | meaning |\n| --- | --- |"
    yield from (f"| `{kind.name}` | {kind.meaning} |" for kind in KINDS.values())
    yield "\n## Words that are not used\n"
    yield "`tests/meta/test_words.py` fails where one is used.\n"
    yield "| not | but |\n| --- | --- |"
    for one in words["retired"]:
        if "name" in one:
            yield f"| {one['name']} | {one['instead']} |"


def row(one: Measure) -> str:
    """Return one measure as a row of a table."""
    name = f"**`{one.name}`**" if one.headline else f"`{one.name}`"
    cells = (name, one.heading, one.unit, one.better, one.meaning, one.applies, one.source)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def contents() -> dict[Path, str]:
    """Return what each file must hold."""
    found = {
        DOCS / "measures.md": "\n".join(lines()) + "\n",
        DOCS / "glossary.md": "\n".join(glossary()) + "\n",
    }
    for name, record in SCHEMAS.items():
        schema = record.model_json_schema(mode="serialization")
        text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        found[DOCS / "schemas" / f"{name}.json"] = text
    for name, of_file in (("experiment", experiment_schema()), ("case", case_schema())):
        found[DOCS / "schemas" / f"{name}.json"] = schema_text(of_file)
    text = json.dumps(message_schema(), indent=1, ensure_ascii=False) + "\n"
    found[DOCS / "agent-messages.json"] = text
    return found


def main() -> int:
    """Write or check."""
    differing = [
        path
        for path, text in contents().items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    for path in differing:
        print(f"{'differs' if '--check' in sys.argv else 'wrote'}: {path.relative_to(DOCS.parent)}")
        if "--check" not in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(contents()[path], encoding="utf-8")
    return 1 if differing and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
