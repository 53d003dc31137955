"""Whether the words of a streamed reply can be read in an event: a hole in an answer is no answer.

What is missing or null says nothing. What is of another type than its format gives it may have held
words, so that the reply cannot be judged any more.
"""

from typing import Any

__all__ = ["is_well_formed"]


def is_well_formed(event: dict[str, Any]) -> bool:
    """Return whether everything on the way to the words of an event is of its type.

    >>> is_well_formed({"choices": [{"delta": {"content": "In 1907."}}]})
    True
    >>> is_well_formed({"choices": [{"delta": {"content": 1907}}]})
    False
    """
    match event:
        case {"type": "content_block_delta"}:
            delta = event.get("delta")
            names = ("text", "partial_json", "thinking")
            return isinstance(delta, dict) and all(_is(str, delta.get(name)) for name in names)
        case {"type": "response.output_text.delta" | "response.function_call_arguments.delta"}:
            return _is(str, event.get("delta"))
        case {"choices": choices}:
            return _are_objects(choices) and all(map(_is_choice, choices or ()))
        case {"candidates": candidates}:
            return _are_objects(candidates) and all(map(_is_candidate, candidates or ()))
        case _:
            return True


def _is_choice(choice: dict[str, Any]) -> bool:
    delta = choice.get("delta")
    return _is(dict, delta) and (delta is None or _is(str | list, delta.get("content")))


def _is_candidate(candidate: dict[str, Any]) -> bool:
    content = candidate.get("content")
    if not _is(dict, content):
        return False
    parts = content.get("parts") if content else None
    return _are_objects(parts) and all(_is(str, part.get("text")) for part in parts or ())


def _are_objects(value: object) -> bool:
    return value is None or (
        isinstance(value, list) and all(isinstance(item, dict) for item in value)
    )


def _is(kind: Any, value: object) -> bool:  # noqa: ANN401  # a type or a union of types
    return value is None or isinstance(value, kind)
