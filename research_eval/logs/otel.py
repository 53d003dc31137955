"""OpenTelemetry spans by the GenAI conventions, and by the names that libraries write in their place."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from research_eval.logs.document import pieces
from research_eval.logs.step import (
    Call,
    Log,
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
from research_eval.logs.trace import Json, as_object, objects_in
from research_eval.schema import Usage
from research_eval.schema.outside import read_json

__all__ = ["read_otel"]

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
        for scope in objects_in(value.get("scopeSpans")):
            yield from objects_in(scope.get("spans"))
    elif "resourceSpans" in value:
        for resource in objects_in(value.get("resourceSpans")):
            yield from _spans(resource)
    elif "spans" in value:
        yield from objects_in(value.get("spans"))
    else:
        yield value


def _trace_id(span: Json) -> str:
    found = span.get("traceId") or as_object(span.get("context")).get("trace_id")
    found = found or as_object(span.get("parent")).get("trace_id")
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
    for item in objects_in(given):
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
    context = as_object(span.get("context"))
    number = span.get("spanId") or context.get("span_id") or attributes.get("gen_ai.tool.call.id")
    given = arguments_of(_attribute(attributes, _ARGUMENTS) or {}, tally)
    yield Said("", (Call(str(number), name, given),), "tool_calls", Usage(), continues=True)
    status = as_object(span.get("status"))
    code = str(status.get("status_code") or status.get("code") or "").casefold()
    result = _attribute(attributes, _RESULTS)
    yield Result(str(number), result if isinstance(result, str) else text_of(result),
                 code.endswith("error") or code == "2" or "error.type" in attributes)  # fmt: skip


def _question(attributes: Json) -> str:
    messages = _as_json(_attribute(attributes, _INPUTS))
    users = [_message_text(m) for m in objects_in(messages) if m.get("role") == "user"]
    return next((text for text in reversed(users) if text), "")


def _message_text(message: Json) -> str:
    parts = objects_in(message.get("parts"))
    if parts:
        return "\n".join(text_of(p.get("content")) for p in parts if p.get("type") == "text")
    return text_of(message.get("content"))


def _reply_span(attributes: Json) -> Said:
    output = _as_json(_attribute(attributes, _OUTPUTS))
    messages = objects_in(output)
    is_call = any("tool.name" in m or "tool_calls" in m or any(
        p.get("type") == "tool_call" for p in objects_in(m.get("parts"))) for m in messages)  # fmt: skip
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
