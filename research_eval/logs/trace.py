"""Logs that tools export: Inspect logs, ATIF trajectories, OpenAI Responses."""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from research_eval.logs.chat import openai_steps
from research_eval.logs.document import MAX_MEMBER, Piece, pieces, zip_members
from research_eval.logs.step import (
    Broken,
    Call,
    Found,
    Log,
    Opened,
    PersonSaid,
    Result,
    Said,
    Step,
    Tally,
    arguments_of,
    finish_of,
    text_of,
    usage_of,
)
from research_eval.schema.outside import read_json

__all__ = ["Json", "as_object", "objects_in", "read_atif", "read_inspect", "read_responses"]

Json = Mapping[str, Any]


def objects_in(value: object) -> list[Json]:
    """Return the objects of a list; nothing if it is no list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def as_object(value: object) -> Json:
    """Return an object, or an empty one if it is something else."""
    return value if isinstance(value, Mapping) else {}


def read_inspect(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the samples of an Inspect log, `.json` or `.eval`."""
    model = ""
    found = (
        _archived(path, tally) if path.suffix == ".eval" else pieces(path, ("samples.item",), tally)
    )
    for piece in found:
        if piece.path == "eval.model":
            model = text_of(piece.value)
        elif isinstance(piece.value, Mapping) and "messages" in piece.value:
            yield _sample(piece.value, piece.place, model, tally)
        elif piece.path.endswith("item"):
            tally.refuse("a sample without messages", piece.place)


def _archived(path: Path, tally: Tally) -> Iterator[Piece]:
    for name, file in zip_members(path, tally):
        if name != "header.json" and not name.startswith("samples/"):
            continue
        try:
            value = read_json(file.read(MAX_MEMBER))
        except ValueError:
            tally.refuse("not JSON, or cut", f"{path}: {name}")
            continue
        if name == "header.json":
            yield Piece("eval.model", as_object(as_object(value).get("eval")).get("model"), name)
        else:
            yield Piece("samples.item", value, f"{path}: {name}")


def _sample(sample: Json, place: str, model: str, tally: Tally) -> Log:
    name = sample.get("id")
    return Log(
        id=str(name) if isinstance(name, str | int) else None,
        place=place,
        steps=_sample_steps(sample, tally),
        model=model or None,
    )


def _sample_steps(sample: Json, tally: Tally) -> Iterator[Step]:
    output = as_object(sample.get("output"))
    reason = next((c.get("stop_reason") for c in objects_in(output.get("choices"))), None)
    messages = objects_in(sample.get("messages"))
    last = max((n for n, m in enumerate(messages) if m.get("role") == "assistant"), default=-1)
    for number, message in enumerate(messages):
        for step in openai_steps(message, tally):
            if isinstance(step, Result):
                yield step._replace(is_error=step.is_error or bool(message.get("error")))
            elif isinstance(step, Said) and number == last:
                finish = finish_of(reason, has_calls=bool(step.calls))
                usage = usage_of(output.get("usage"))
                yield step._replace(finish=finish, usage=usage, model=text_of(message.get("model")))
            else:
                yield step
    error = as_object(sample.get("error"))
    if error:
        yield Broken(text_of(error.get("message")) or "the sample failed")


def read_atif(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the trajectory of a file in the Agent Trajectory Interchange Format, version 1."""
    known: dict[str, Any] = {}
    found = pieces(path, ("steps.item",), tally)
    for piece in found:
        if not piece.path and isinstance(piece.value, Mapping):  # a trajectory a line
            steps = (
                Piece("steps.item", one, piece.place)
                for one in objects_in(piece.value.get("steps"))
            )
            model = text_of(as_object(piece.value.get("agent")).get("model_name"))
            name = text_of(piece.value.get("session_id"))
            yield Log(name or None, piece.place, _atif_steps(steps, tally), model or None)
        elif piece.path == "steps.item":
            yield Log(
                text_of(known.get("session_id")) or path.stem,
                piece.place,
                _atif_steps(itertools.chain([piece], found), tally),
                text_of(known.get("agent.model_name")) or None,
            )
        else:
            known[piece.path] = piece.value


def _atif_steps(found: Iterator[Piece], tally: Tally) -> Iterator[Step]:
    for piece in found:
        step = piece.value
        if not isinstance(step, Mapping):
            continue
        source, text = step.get("source"), text_of(step.get("message"))
        if source == "user":
            yield PersonSaid(text)
        elif source == "agent":
            calls = tuple(
                Call(text_of(c.get("tool_call_id")), text_of(c.get("function_name")),
                     arguments_of(c.get("arguments"), tally))
                for c in objects_in(step.get("tool_calls"))
            )  # fmt: skip
            yield Said(text, calls, finish_of(None, has_calls=bool(calls)),
                       usage_of(step.get("metrics")), text_of(step.get("model_name")))  # fmt: skip
            results = objects_in(as_object(step.get("observation")).get("results"))
            for number, result in enumerate(results):
                name = text_of(result.get("source_call_id"))
                if not name and number < len(calls):
                    name = calls[number].id
                yield Result(name, text_of(result.get("content")))
        elif source != "system":
            tally.skip("steps of an unknown source")


def read_responses(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the responses of a file; one that names the one before as its previous goes on with it."""
    found = pieces(path, ("item", "responses.item"), tally)
    waiting: list[Json] = []
    place = str(path)
    for piece in found:
        value = piece.value
        if not isinstance(value, Mapping):
            continue
        request, response = (
            as_object(value.get("request")),
            as_object(value.get("response") or value),
        )
        if not isinstance(response.get("output"), list):
            tally.refuse("no output of a response", piece.place)
            continue
        one = {
            **response,
            "asked": value.get("input") or request.get("input"),
            "name": value.get("case_id"),
        }
        if waiting and response.get("previous_response_id") != waiting[-1].get("id"):
            yield _response_log(waiting, place, tally)
            waiting = []
        place = place if waiting else piece.place
        waiting.append(one)
    if waiting:
        yield _response_log(waiting, place, tally)


def _response_log(responses: list[Json], place: str, tally: Tally) -> Log:
    first = responses[0]
    name = first.get("name") or as_object(first.get("metadata")).get("case_id") or first.get("id")
    return Log(text_of(name) or None, place, _response_steps(responses, tally),
               text_of(first.get("model")) or None)  # fmt: skip


def _response_steps(responses: list[Json], tally: Tally) -> Iterator[Step]:
    for number, response in enumerate(responses):
        for item in _asked_items(response.get("asked"), is_first=number == 0):
            if item.get("type") == "function_call_output":
                yield Result(text_of(item.get("call_id")), text_of(item.get("output")))
            elif item.get("role") == "user":
                yield PersonSaid(text_of(item.get("content")))
        yield from _output_steps(response, tally)
        error = as_object(response.get("error"))
        if error:
            yield Broken(text_of(error.get("message")) or "the response failed")


def _output_steps(response: Json, tally: Tally) -> Iterator[Step]:
    calls: list[Call] = []
    texts: list[str] = []
    refusal = False
    for item in objects_in(response.get("output")):
        match item.get("type"):
            case "web_search_call":
                yield from _provider_step(item)
            case "function_call":
                given = arguments_of(item.get("arguments"), tally)
                calls.append(Call(text_of(item.get("call_id")), text_of(item.get("name")), given))
            case "message":
                parts = objects_in(item.get("content"))
                refusal = refusal or any(p.get("type") == "refusal" for p in parts)
                texts += [text_of(p.get("text") or p.get("refusal")) for p in parts]
            case "function_call_output":
                yield from _said(response, texts, calls, refusal=refusal)
                yield Result(text_of(item.get("call_id")), text_of(item.get("output")))
                calls, texts = [], []
    yield from _said(response, texts, calls, refusal=refusal)


def _asked_items(given: object, *, is_first: bool) -> list[Json]:
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    items = objects_in(given)
    if not items and is_first:
        return [{"role": "user", "content": "(the log does not say the question)"}]
    return items


def _said(response: Json, texts: list[str], calls: list[Call], *, refusal: bool) -> Iterator[Said]:
    details = as_object(response.get("incomplete_details"))
    reason = "refusal" if refusal else details.get("reason")
    yield Said("\n".join(texts), tuple(calls), finish_of(reason, has_calls=bool(calls)),
               usage_of(response.get("usage")), text_of(response.get("model")))  # fmt: skip


def _provider_step(item: Json) -> Iterator[Step]:
    """Yield what the provider searched or opened."""
    action = as_object(item.get("action"))
    failed = item.get("status") == "failed"
    url = text_of(action.get("url"))
    if action.get("type") == "search":
        hits = tuple((text_of(s.get("url")), text_of(s.get("title")), "")
                     for s in objects_in(action.get("sources")) if s.get("url"))  # fmt: skip
        yield Found(text_of(action.get("query")), hits, None if failed else "server")
    elif url:
        yield Opened(url, ok=not failed, error="failed" if failed else None)
