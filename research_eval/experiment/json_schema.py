"""Settings in, the JSON Schema of an experiment's file out: editors complete and check with it."""

import ast
import inspect
import json
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

from pydantic import BaseModel

from research_eval.dataset import Case
from research_eval.experiment.prompt_file import WORDS
from research_eval.experiment.settings import ExperimentSettings
from research_eval.schema.record import records_in

__all__ = ["case_schema", "experiment_schema", "schema_text"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def case_schema() -> Schema:
    """Return the schema of one line of a dataset."""
    schema = Case.model_json_schema(mode="validation")
    _describe(schema, Case)
    return {"$schema": DIALECT, **schema}


def experiment_schema() -> Schema:
    """Return the schema of an experiment's TOML file, as JSON values."""
    schema = ExperimentSettings.model_json_schema(mode="validation")
    _describe(schema, ExperimentSettings)
    tables = schema["$defs"]
    for name in WORDS:
        words = tables["PromptSettings"]["properties"][name]
        words["anyOf"] = [*words.pop("anyOf", [{"type": words.pop("type", None)}]), _file()]
    own = tables["Configuration"]
    shared = {key: one for key, one in own["properties"].items() if key != "name"}
    tables["Defaults"] = _table("What all configurations share; each may say otherwise.", shared)
    tables["Matrix"] = _table(
        "Makes a configuration of each combination of the values under `vary`.",
        {
            **shared,
            "vary": {"$ref": "#/$defs/VaryDefaults"},
            "exclude": {
                "description": "Names or patterns of combinations that are left out.",
                "type": "array",
                "items": {"type": "string"},
            },
        },
        required=["vary"],
    )
    for name, table in _varied("Defaults", tables):
        tables[name] = table
    own["required"] = ["name"]  # the rest may stand in [defaults]
    properties = schema["properties"]
    properties["defaults"] = {"$ref": "#/$defs/Defaults"}
    properties["matrix"] = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Matrix"}}
    schema["required"].remove("configuration")
    either = [{"required": ["configuration"]}, {"required": ["matrix"]}]
    return {"$schema": DIALECT, **schema, "anyOf": either}


def schema_text(schema: Schema) -> str:
    """Return a schema as its file holds it."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _file() -> Schema:
    path = {"type": "string", "description": "Relative to the experiment, in its folder or below."}
    return {
        "type": "object",
        "properties": {"file": path},
        "required": ["file"],
        "additionalProperties": False,
    }


def _table(meaning: str, properties: Schema, required: list[str] | None = None) -> Schema:
    return {
        "description": meaning,
        "type": "object",
        "properties": properties,
        "required": required or [],
        "additionalProperties": False,
    }


def _varied(name: str, tables: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield the table of a matrix that has a list of values in the place of each setting."""
    values = {"type": "array", "minItems": 1, "description": "One value for each combination."}
    properties: Schema = {}
    for key, setting in tables[name]["properties"].items():
        properties[key] = values
        for inner in _refs(setting):
            if tables[inner].get("properties"):
                properties[key] = {"anyOf": [values, {"$ref": f"#/$defs/Vary{inner}"}]}
                yield from _varied(inner, tables)
    yield f"Vary{name}", _table("What varies in a matrix.", properties)


def _refs(setting: Schema) -> Iterator[str]:
    """Yield the tables that a setting may be, itself and not in a list."""
    for one in (setting, *setting.get("anyOf", []), *setting.get("allOf", [])):
        if "$ref" in one:
            yield one["$ref"].rpartition("/")[2]


def _describe(schema: Schema, record: type[BaseModel]) -> None:
    """Put the words that stand below each setting in the code into the schema."""
    for one in {record, *_records_below(record)}:
        table = schema if one is record else schema["$defs"].get(one.__name__)
        if table is None:
            continue
        for holder in (table, *table.get("anyOf", [])):
            for name, words in _words_below_fields(one).items():
                if name in holder.get("properties", {}):
                    holder["properties"][name]["description"] = words


def _records_below(record: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for field in record.model_fields.values():
        for one in records_in(field.annotation):
            yield one
            yield from _records_below(one)


def _words_below_fields(record: type[BaseModel]) -> dict[str, str]:
    (body,) = ast.parse(dedent(inspect.getsource(record))).body
    assert isinstance(body, ast.ClassDef)  # noqa: S101  # the source of a class is one
    found: dict[str, str] = {}
    for field, words in zip(body.body, body.body[1:], strict=False):
        match field, words:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = " ".join(text.split())
    return found
