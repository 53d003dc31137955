"""Traces that tools export: Inspect logs, OpenTelemetry spans, ATIF trajectories, OpenAI Responses."""

import itertools
from collections import defaultdict
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
from research_eval.schema import Usage
from research_eval.schema.outside import read_json

__all__ = ["read_atif", "read_inspect", "read_otel", "read_responses"]

Json = Mapping[str, Any]


def _objects(value: object) -> list[Json]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _object(value: object) -> Json:
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
            yield Piece("eval.model", _object(_object(value).get("eval")).get("model"), name)
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
    output = _object(sample.get("output"))
    reason = next((c.get("stop_reason") for c in _objects(output.get("choices"))), None)
    messages = _objects(sample.get("messages"))
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
    error = _object(sample.get("error"))
    if error:
        yield Broken(text_of(error.get("message")) or "the sample failed")


_ARGUMENTS = ("gen_ai.tool.call.arguments", "gen_ai.tool.args", "tool.parameters", "input.value",
              "traceloop.entity.input", "tool_arguments")  # fmt: skip
_RESULTS = ("gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.output", "output.value",
            "traceloop.entity.output", "tool_response")  # fmt: skip
_TOOLS = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt", "input.value")
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.output", "output.value")
_MODEL_CALLS = {"chat", "call_llm", "generate_content", "text_completion", "llm"}


def read_otel(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the traces of a file of spans: OTLP JSON, one span a line, or `{"spans": […]}`.

    Names are those of the GenAI conventions, and those that libraries write in their place.
    """
    traces: dict[str, list[Json]] = defaultdict(list)
    final = ""
    wanted = ("spans.item", "resourceSpans.item", "item", "final_output")
    for piece in pieces(path, wanted, tally):
        if piece.path == "final_output":
            final = piece.value if isinstance(piece.value, str) else ""
        elif isinstance(piece.value, Mapping):
            for span in _spans(piece.value):
                traces[_trace_id(span)].append(span)
    if not traces:
        tally.refuse("no spans", str(path))
    for trace, spans in traces.items():
        spans.sort(key=_start)
        model = next(
            (m for s in spans if (m := _attribute(_flat(s), ("gen_ai.request.model",)))), ""
        )
        yield Log(id=trace or path.stem, place=str(path), steps=_span_steps(spans, final, tally),
                  model=text_of(model) or None)  # fmt: skip


def _spans(value: Json) -> Iterator[Json]:
    if "scopeSpans" in value:
        for scope in _objects(value.get("scopeSpans")):
            yield from _objects(scope.get("spans"))
    elif "resourceSpans" in value:
        for resource in _objects(value.get("resourceSpans")):
            yield from _spans(resource)
    elif "spans" in value:
        yield from _objects(value.get("spans"))
    else:
        yield value


def _trace_id(span: Json) -> str:
    found = span.get("traceId") or _object(span.get("context")).get("trace_id")
    found = found or _object(span.get("parent")).get("trace_id")
    return str(found) if isinstance(found, str | int) else ""


def _start(span: Json) -> tuple[int, str]:
    value = span.get("startTimeUnixNano") or span.get("start_time") or 0
    text = str(value)
    return (int(text), "") if text.isdecimal() and len(text) < 25 else (0, text)


def _flat(span: Json) -> Json:
    """Return the attributes of a span as a flat object, whichever way they are written."""
    given = span.get("attributes")
    if isinstance(given, Mapping):
        return given
    found = {}
    for item in _objects(given):
        value = item.get("value")
        if isinstance(value, Mapping):
            value = next(iter(value.values()), None)
        found[text_of(item.get("key"))] = value
    return found


def _attribute(attributes: Json, names: tuple[str, ...]) -> object:
    return next((attributes[name] for name in names if attributes.get(name)), None)


def _as_json(value: object) -> object:
    if isinstance(value, str):
        try:
            return read_json(value)
        except ValueError:
            return value
    return value


def _span_steps(spans: list[Json], final: str, tally: Tally) -> Iterator[Step]:
    asked = False
    last_text = ""
    for span in spans:
        attributes = _flat(span)
        operation = text_of(
            attributes.get("gen_ai.operation.name") or attributes.get("openinference.span.kind")
        )
        name = text_of(_attribute(attributes, _TOOLS))
        if operation.casefold() in {"execute_tool", "tool"} or (not operation and name):
            yield from _tool_span(span, attributes, name, tally)
        elif operation.casefold() in _MODEL_CALLS:
            if not asked and (question := _question(attributes)):
                asked = True
                yield PersonSaid(question)
            said = _reply_span(attributes)
            last_text = said.text
            yield said
    if not asked:
        tally.skip("traces that do not hold their question")
    if final and final != last_text:
        yield Said(final, usage=Usage())


def _tool_span(span: Json, attributes: Json, name: str, tally: Tally) -> Iterator[Step]:
    context = _object(span.get("context"))
    number = span.get("spanId") or context.get("span_id") or attributes.get("gen_ai.tool.call.id")
    given = arguments_of(_attribute(attributes, _ARGUMENTS) or {}, tally)
    yield Said("", (Call(str(number), name, given),), "tool_calls", Usage(), continues=True)
    status = _object(span.get("status"))
    code = str(status.get("status_code") or status.get("code") or "").casefold()
    result = _attribute(attributes, _RESULTS)
    yield Result(str(number), result if isinstance(result, str) else text_of(result),
                 code.endswith("error") or code == "2" or "error.type" in attributes)  # fmt: skip


def _question(attributes: Json) -> str:
    messages = _as_json(_attribute(attributes, _INPUTS))
    users = [_message_text(m) for m in _objects(messages) if m.get("role") == "user"]
    return next((text for text in reversed(users) if text), "")


def _message_text(message: Json) -> str:
    parts = _objects(message.get("parts"))
    if parts:
        return "\n".join(text_of(p.get("content")) for p in parts if p.get("type") == "text")
    return text_of(message.get("content"))


def _reply_span(attributes: Json) -> Said:
    output = _as_json(_attribute(attributes, _OUTPUTS))
    messages = _objects(output)
    is_call = any("tool.name" in m or "tool_calls" in m or any(
        p.get("type") == "tool_call" for p in _objects(m.get("parts"))) for m in messages)  # fmt: skip
    if messages:
        text = "" if is_call else "\n".join(filter(None, map(_message_text, messages)))
    else:
        text = output if isinstance(output, str) else ""
    reasons = _as_json(attributes.get("gen_ai.response.finish_reasons"))
    reason = reasons[0] if isinstance(reasons, list) and reasons else None
    usage = {
        name.rpartition(".")[2]: value for name, value in attributes.items() if ".usage." in name
    }
    model = _attribute(attributes, ("gen_ai.response.model", "gen_ai.request.model"))
    return Said(text, (), finish_of(reason, has_calls=is_call), usage_of(usage), text_of(model))


def read_atif(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the trajectory of a file in the Agent Trajectory Interchange Format, version 1."""
    known: dict[str, Any] = {}
    found = pieces(path, ("steps.item",), tally)
    for piece in found:
        if not piece.path and isinstance(piece.value, Mapping):  # a trajectory a line
            steps = (
                Piece("steps.item", one, piece.place) for one in _objects(piece.value.get("steps"))
            )
            model = text_of(_object(piece.value.get("agent")).get("model_name"))
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
                for c in _objects(step.get("tool_calls"))
            )  # fmt: skip
            yield Said(text, calls, finish_of(None, has_calls=bool(calls)),
                       usage_of(step.get("metrics")), text_of(step.get("model_name")))  # fmt: skip
            results = _objects(_object(step.get("observation")).get("results"))
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
        request, response = _object(value.get("request")), _object(value.get("response") or value)
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
    name = first.get("name") or _object(first.get("metadata")).get("case_id") or first.get("id")
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
        error = _object(response.get("error"))
        if error:
            yield Broken(text_of(error.get("message")) or "the response failed")


def _output_steps(response: Json, tally: Tally) -> Iterator[Step]:
    calls: list[Call] = []
    texts: list[str] = []
    refusal = False
    for item in _objects(response.get("output")):
        match item.get("type"):
            case "web_search_call":
                yield from _provider_step(item)
            case "function_call":
                given = arguments_of(item.get("arguments"), tally)
                calls.append(Call(text_of(item.get("call_id")), text_of(item.get("name")), given))
            case "message":
                parts = _objects(item.get("content"))
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
    items = _objects(given)
    if not items and is_first:
        return [{"role": "user", "content": "(the log does not say the question)"}]
    return items


def _said(response: Json, texts: list[str], calls: list[Call], *, refusal: bool) -> Iterator[Said]:
    details = _object(response.get("incomplete_details"))
    reason = "refusal" if refusal else details.get("reason")
    yield Said("\n".join(texts), tuple(calls), finish_of(reason, has_calls=bool(calls)),
               usage_of(response.get("usage")), text_of(response.get("model")))  # fmt: skip


def _provider_step(item: Json) -> Iterator[Step]:
    """Yield what the provider searched or opened."""
    action = _object(item.get("action"))
    failed = item.get("status") == "failed"
    url = text_of(action.get("url"))
    if action.get("type") == "search":
        hits = tuple((text_of(s.get("url")), text_of(s.get("title")), "")
                     for s in _objects(action.get("sources")) if s.get("url"))  # fmt: skip
        yield Found(text_of(action.get("query")), hits, None if failed else "server")
    elif url:
        yield Opened(url, ok=not failed, error="failed" if failed else None)
