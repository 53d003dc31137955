"""What a model wrote into its text that is no text: reasoning, marks of its format, tool calls.

Servers that do not know a model's template hand its marks on. Forms read here: `<think>` and its
kin (DeepSeek, Qwen and others), the channels of OpenAI's harmony format, `<tool_call>` (Hermes,
Qwen), `<function=…>` (Llama), `[TOOL_CALLS]` (Mistral), `<|python_tag|>` (Llama), and a call as
JSON, alone or in a code fence.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from research_eval.schema.outside import read_json

__all__ = ["SaidCall", "said_calls", "without_reasoning"]

_WORD = r"(?:think|thinking|thought|reasoning|reflection)"
_BLOCK = re.compile(rf"(?:^|(?<=\n))[ \t]*<({_WORD})>.*?</\1>\s*", re.DOTALL)
_UNTIL_CLOSED = re.compile(rf"\A.*</{_WORD}>\s*", re.DOTALL)
_UNCLOSED = re.compile(rf"\A\s*<{_WORD}>.*\Z", re.DOTALL)
_CHANNEL = re.compile(
    r"(?:<\|start\|>\w*)?<\|channel\|>\s*(\w+)([^<]*)(?:<\|constrain\|>[^<]*)?<\|message\|>(.*?)"
    r"(?=<\|(?:end|return|call|start|channel)\|>|\Z)(?:<\|(?:end|return|call)\|>)?",
    re.DOTALL,
)
_MARKED = re.compile(
    r"<tool_call>\s*(?P<hermes>.*?)\s*(?:</tool_call>|\Z)"
    r"|<function=(?P<name>[\w.-]+)>\s*(?P<llama>.*?)\s*(?:</function>|\Z)"
    r"|\[TOOL_CALLS\]\s*(?P<mistral>.*)"
    r"|<\|python_tag\|>\s*(?P<tag>.*)",
    re.DOTALL,
)
_FENCED = re.compile(r"```(?:json|tool_call|tool_code)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL)


class SaidCall(NamedTuple):
    """A tool call that stands in the text of a reply."""

    name: str
    arguments: str
    """The arguments, as JSON text."""


def without_reasoning(text: str) -> str:
    """Return what a reply says to the user, without reasoning and marks of channels.

    >>> without_reasoning("I guess https://a.example/ </think>It is 7 m.")
    'It is 7 m.'
    >>> without_reasoning("<|channel|>analysis<|message|>Hm.<|end|><|channel|>final<|message|>7 m.")
    '7 m.'
    """
    if "<|channel|>" in text:
        text = "".join(said for name, _, said in _CHANNEL.findall(text) if name == "final")
    if "<" not in text:
        return text
    text = _BLOCK.sub("", text)
    return _UNCLOSED.sub("", _UNTIL_CLOSED.sub("", text))


def said_calls(text: str, names: Collection[str]) -> list[SaidCall] | None:
    """Return the calls that stand in `text`; `None` if there is one that cannot be read.

    JSON outside a mark is a call only if it names one of the tools `names` and brings arguments.

    >>> said_calls('<tool_call>{"name": "fetch", "arguments": {"url": "u"}}</tool_call>', ["fetch"])
    [SaidCall(name='fetch', arguments='{"url": "u"}')]
    >>> said_calls("<tool_call>fetch that page</tool_call>", ["fetch"]) is None
    True
    >>> said_calls('The file holds {"name": "fetch"}.', ["fetch"])
    []
    """
    marked = list(_marked(text))
    if marked:
        found = [call for name, body in marked for call in _calls(name, body)]
        return found or None
    plain = [text.strip(), *(body for body in _FENCED.findall(text))]
    calls = (call for body in plain if body.lstrip()[:1] in {"{", "["} for call in _calls("", body))
    return [call for call in calls if call.name in names]


def _marked(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name, where the mark holds it, and the body of each marked call."""
    for channel, to, body in _CHANNEL.findall(text):
        if channel != "final" and (target := re.search(r"\bto=(?:functions\.)?([\w-]+)", to)):
            yield target[1], body
    for match in _MARKED.finditer(text):
        name = match["name"] or ""
        yield (
            name,
            next(match[g] for g in ("hermes", "llama", "mistral", "tag") if match[g] is not None),
        )


def _calls(name: str, body: str) -> Iterator[SaidCall]:
    try:
        value = read_json(body.strip())
    except ValueError:
        return
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            continue
        function = item.get("function")
        of = function if isinstance(function, dict) else item
        named = name or of.get("name") or of.get("tool")
        arguments = of if name else of.get("arguments", of.get("parameters"))
        if isinstance(arguments, str):
            try:
                arguments = read_json(arguments)
            except ValueError:
                continue
        if isinstance(named, str) and isinstance(arguments, dict):
            yield SaidCall(named, json.dumps(arguments, ensure_ascii=False))
