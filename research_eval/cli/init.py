"""`research-eval init`: a small experiment with comments, ready to run."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Literal

import click

from research_eval.errors import UsageError

__all__ = ["init"]

SCHEMA = "experiment.schema.json"
"""The file that editors complete and check the experiment with."""

CASES = ("skerravoe-yacht-dues", "fenmoor-harl-length", "quillvane-licence")
"""Of the bundled dataset: a table, a URL with parentheses, and a question that no page answers."""

OWN_CASE = {
    "id": "example-domains",
    "question": "For what may the domain example.com be used, according to IANA?",
    "tags": ["example"],
}
"""A question that a page of the internet answers."""

HEAD = """\
#:schema ./experiment.schema.json
# An experiment: each case of the dataset is put to each configuration.
# Every setting is described in docs/experiments.md of research-eval.
name = "mine" # names the run's folder: reports/mine
dataset = "cases.jsonl" # one question a line; research-eval dataset lint cases.jsonl checks it
cassettes = "cassettes" # recorded searches, pages and model replies: `run` replays them offline
trials = 1 # repetitions of each case; more tell chance from effect
"""

SOURCES = {
    "world": """\
synthetic = true # questions and pages were made for the purpose; every report says so
record_from = "world" # `record` asks the bundled web and needs no key for it
""",
    "internet": """\
record_from = "internet" # `record` asks real services; SERPER_API_KEY stands in the environment
""",
}

DEFAULTS = """
[defaults] # what all configurations share; each may say otherwise
search.chain = ["serper"] # the search providers, in the order in which they are asked
agent.max_retries = 2 # answers after a rejected one
gate = "default" # or one of yours: package.module:Name
"""

REFERENCE_AGENTS = """
[[configuration]]
name = "honest"
note = "a reference agent: a script that cites only pages that it opened"
model = "reference:honest"

[[configuration]]
name = "snippets"
note = "a reference agent that cites search hits without opening them: the gate rejects it"
model = "reference:snippet-citer"
"""

OWN_MODEL = """
[[configuration]]
name = "model"
model = {model} # its key stands in the environment; research-eval check experiment.toml tries it
"""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--from",
    "source",
    type=click.Choice(["world", "internet"]),
    default="world",
    show_default=True,
    help="Where recording gets searches and pages: the bundled web, or the internet.",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Compare this model, as in openai:gpt-5-mini, with the reference agent `honest`.",
)
def init(folder: Path, source: Literal["world", "internet"], model: str | None) -> int:
    """Write a small experiment with comments into FOLDER, by default this one.

    Over the bundled web, `research-eval run` runs it at once, offline: its pages are recorded
    already. A model or the internet is recorded first. No file is ever written over.
    """
    if model is not None:
        _check_model(model)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is no folder")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".research-eval-", dir=folder) as made:
        _write(Path(made), source, model)
        _move(Path(made), folder)
    experiment = folder / "experiment.toml"
    click.echo(f"wrote {experiment} and {folder / 'cases.jsonl'}")
    click.echo("next:")
    for line in _next(_word(experiment), source, model):
        click.echo(f"  research-eval {line}")
    return 0


def _check_model(name: str) -> None:
    """Refuse a name that no provider or reference agent answers to."""
    from research_eval.model import reference_agent
    from research_eval.model.wire import find_provider

    kind, _, rest = name.partition(":")
    if not rest:
        raise UsageError(f"--model {name!r}: expected <provider>:<model> or reference:<agent>")
    if kind == "reference":
        reference_agent(rest, case_seed="")
    else:
        find_provider(kind)


def _write(folder: Path, source: Literal["world", "internet"], model: str | None) -> None:
    """Write the files into an empty folder; the experiment last, once it loads."""
    from research_eval.experiment import bundled_experiment, load_experiment
    from research_eval.experiment.json_schema import experiment_schema, schema_text

    bundled = bundled_experiment()
    lines = [json.dumps(OWN_CASE)]
    if source == "world":
        dataset = (bundled.parent / "cases.jsonl").read_text("utf-8").splitlines()
        lines = [line for line in dataset if json.loads(line)["id"] in CASES]
        shutil.copytree(
            bundled.parents[2] / "cassettes" / "world" / "web", folder / "cassettes" / "web"
        )
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    agents = REFERENCE_AGENTS
    if model is not None:
        honest = REFERENCE_AGENTS.split("\n\n", maxsplit=1)[0] + "\n"
        agents = honest + OWN_MODEL.format(model=json.dumps(model, ensure_ascii=False))
    (folder / SCHEMA).write_text(schema_text(experiment_schema()), "utf-8")
    experiment = folder / "experiment.toml"
    experiment.write_text(HEAD + SOURCES[source] + DEFAULTS + agents, "utf-8")
    load_experiment(experiment)


def _move(made: Path, folder: Path) -> None:
    """Move everything to its place, or nothing where something stands there."""
    names = ("cassettes", "cases.jsonl", SCHEMA, "experiment.toml")
    for name in names:
        if (folder / name).exists() or (folder / name).is_symlink():
            raise UsageError(f"{folder / name}: is there already; give another folder")
    for name in names:
        if (made / name).exists():
            (made / name).rename(folder / name)


def _next(experiment: str, source: str, model: str | None) -> list[str]:
    if source == "world" and model is None:
        return [f"run {experiment}"]
    if model is None:
        return [f"record {experiment}", f"run {experiment}"]
    first = [f"run {experiment} --configuration honest --out reports/honest"]
    return [
        *(first if source == "world" else []),
        f"check {experiment}",
        f"record {experiment} --max-cost 1",
        f"run {experiment}",
    ]


def _word(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))
