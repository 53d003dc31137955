"""Words of a prompt that stand in a file of their own: `{ file = PATH }` in, the text out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from research_eval.schema.complaint import Complaint

__all__ = ["WORDS", "read_prompt_files"]

WORDS = ("system", "extra")
"""Settings of `agent.prompt` whose text a file may hold."""

MAX_CHARS = 200_000


def read_prompt_files(item: Any, folder: Path) -> Iterator[Complaint]:  # noqa: ANN401  # TOML values
    """Put the texts of files into a configuration, so that its identity holds them.

    Args:
        item: The configuration as TOML gives it; changed in place.
        folder: That of the experiment: paths are relative to it, and stay below it.

    Yields:
        What is wrong, with its place in the configuration.
    """
    agent = item.get("agent") if isinstance(item, dict) else None
    prompt = agent.get("prompt") if isinstance(agent, dict) else None
    if not isinstance(agent, dict) or not isinstance(prompt, dict):
        return
    texts: dict[str, str] = {}
    for name in WORDS:
        value = prompt.get(name)
        if not isinstance(value, dict) or value.keys() != {"file"}:
            continue
        try:
            texts[name] = _text(value["file"], folder)
        except ValueError as exc:
            place = ("agent", "prompt", name, "file")
            yield Complaint(place, "value", f"{value['file']}: {exc}")
            texts[name] = ""
    if texts:  # the table may be shared by several configurations
        item["agent"] = {**agent, "prompt": {**prompt, **texts}}


def _text(name: object, folder: Path) -> str:
    """Return the text of the file called `name`, without blanks around it.

    Raises:
        ValueError: With what is wrong.
    """
    if not isinstance(name, str) or "\0" in name:
        raise ValueError("expected the path of a file")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError("is outside the experiment's folder; expected a file in it or below it")
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except OSError as exc:
        raise ValueError(f"cannot be read: {exc.strerror}") from exc
    except UnicodeDecodeError as exc:
        raise ValueError(f"expected UTF-8 text: byte {exc.start} is not") from exc
    if not text or len(text) > MAX_CHARS:
        raise ValueError(f"holds {len(text)} characters; expected 1 to {MAX_CHARS}")
    return text
