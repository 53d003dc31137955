"""Write docs/commands.md and docs/settings.md from the commands and settings themselves, or check them.

python docs/reference.py            write them
python docs/reference.py --check    exit 1 if one differs
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import click

from research_eval.cli.main import cli
from research_eval.experiment.settings import ExperimentSettings
from research_eval.schema import Record

DOCS = Path(__file__).resolve().parent
WIDTH = 100

COMMANDS_HEAD = """# Commands

Made by `python docs/reference.py` from the commands themselves: what `--help` prints.
[experiments.md](experiments.md) says [how runs go on and stop](experiments.md#stopping-and-going-on) and [what exit codes mean](experiments.md#exit-codes).
"""
SETTINGS_HEAD = """# Settings

Made by `python docs/reference.py` from the settings themselves: every key of an experiment's TOML file, with its type and default.
[experiments.md](experiments.md#the-file) shows such a file. An unknown key is refused.
A key of a configuration may stand in `[defaults]`, for all configurations; `--set KEY=VALUE` changes one for a run.
`None` in a meaning is a key that is left out; a key of `resilience` that has a default takes `"none"`.
"""
PLACES = {
    "ExperimentSettings": "The file",
    "Configuration": "`[[configuration]]`",
    "LimitSettings": '`[limits."PROVIDER"]`',
    "NetworkSettings": "`[network]`",
    "Requirement": "`[[require]]`",
    "Price": "`[configuration.price]`",
    "PriceStep": "`[[configuration.price.steps]]`",
    "ModelSettings": "`[configuration.model]`",
    "ReasoningBudget": "`model.reasoning`",
    "AgentSettings": "`[configuration.agent]`",
    "PromptSettings": "`[configuration.agent.prompt]`",
    "SearchSettings": "`[configuration.search]`",
    "ProviderSettings": "`[[configuration.search.chain]]`",
    "ResilienceSettings": "`[configuration.search.resilience]`",
    "FetchSettings": "`[configuration.fetch]`",
    "FaultSettings": "`[[configuration.fault]]`",
}
"""Where each table of settings stands in the file, in the order of the page."""
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def commands(context: click.Context) -> Iterator[str]:
    """Yield the help of a command and of all below it."""
    command = context.command
    command._help_option = None  # noqa: SLF001  # click keeps that of a call by itself, without -h
    if not isinstance(command, click.Group):
        yield f"\n## {context.command_path}\n\n```\n{command.get_help(context)}\n```"
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        if inner is not None:
            yield from commands(click.Context(inner, parent=context, info_name=name))


def every_command() -> Iterator[str]:
    """Yield the help of all commands."""
    settings = {"terminal_width": WIDTH, "max_content_width": WIDTH, **cli.context_settings}
    return commands(click.Context(cli, info_name="research-eval", **settings))


def settings() -> Iterator[str]:
    """Yield the table of each kind of settings."""
    records = {record.__name__: record for record in records_in(ExperimentSettings)}
    if missing := sorted(records.keys() - PLACES):
        sys.exit(f"docs/reference.py: no place is named in PLACES for {', '.join(missing)}")
    for name, place in PLACES.items():
        record = records[name]
        schema = record.model_json_schema()
        if "properties" not in schema:  # a file may give another form
            schema = next(one for one in schema["anyOf"] if "properties" in one)
        meanings = docstrings(record)
        yield f"\n## {place}\n\n{inspect.cleandoc(record.__doc__ or '').splitlines()[0]}\n"
        yield "| key | type | default | meaning |\n| --- | --- | --- | --- |"
        for key, field in schema["properties"].items():
            is_needed = key in schema.get("required", ())
            default = "" if is_needed else default_of(field)
            cells = (f"`{key}`", type_of(field), default, meanings.get(key, ""))
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def records_in(annotation: object) -> Iterator[type[Record]]:
    """Yield every class of settings in an annotation, and below it."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        yield annotation
        for field in annotation.model_fields.values():
            yield from records_in(field.annotation)
    for inner in get_args(annotation):
        yield from records_in(inner)


def docstrings(record: type[Record]) -> dict[str, str]:
    """Return the text below each field of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(record))).body[0].body  # type: ignore[attr-defined]
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def type_of(field: dict[str, Any]) -> str:
    """Return a JSON Schema in words."""
    if "$ref" in field or "allOf" in field:
        name = (field.get("$ref") or field["allOf"][0]["$ref"]).rpartition("/")[2]
        return f"table ({PLACES[name]})" if name in PLACES else "table"
    if "anyOf" in field:
        kinds = [type_of(one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "enum" in field or "const" in field:
        return ", ".join(f"`{one}`" for one in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        return f"list: {type_of(field.get('items', {}))}"
    bounds = [f"{sign} {field[name]:g}" for name, sign in BOUNDS.items() if name in field]
    kind = {"object": "table", "string": "text", "boolean": "true or false"}
    return ", ".join([kind.get(field.get("type", ""), field.get("type", "any value")), *bounds])


def default_of(field: dict[str, Any]) -> str:
    """Return a default in words."""
    value = field.get("default")
    if value is None:
        return "none"
    if isinstance(value, dict):
        return "" if value else "empty"
    return "empty" if value in ([], "") else f"`{json.dumps(value, ensure_ascii=False)}`"


def contents() -> dict[Path, str]:
    """Return what each page must hold."""
    return {
        DOCS / "commands.md": "\n".join([COMMANDS_HEAD.rstrip(), *every_command()]) + "\n",
        DOCS / "settings.md": "\n".join([SETTINGS_HEAD.rstrip(), *settings()]) + "\n",
    }


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
            path.write_text(contents()[path], encoding="utf-8")
    return 1 if differing and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
