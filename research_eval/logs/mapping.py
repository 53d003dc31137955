"""Which tools of an agent search, open a page, click, or write the answer: built in, or from a file."""

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, ValidationError, field_validator

from research_eval.errors import UsageError
from research_eval.schema import Record

__all__ = ["BUILT_IN", "Mapping", "ToolMapping", "load_mapping"]

FAILURES = (
    r"(?i)^\W*(error|failed|failure|exception|traceback|fetch failed|request failed)\b",
    r"(?i)^\W*an (\w+ )?(error|exception) (occurred|happened|was raised)\b",
    r"(?i)^\W*(http|status|status code)?[ :]*(4\d\d|5\d\d)\b(?! results)",
    r"(?i)^\W*no (content|page|text)\b.{0,40}\b(extracted|found|available|retrieved)",
    r"(?i)^\W*(could not|couldn't|cannot|can't|unable to|timed out|access denied|forbidden|not found)\b",
    r"(?i)(webpage|page|content) (content )?(could not|cannot) be (accessed|loaded|fetched|read)",
    r"(?i)^\W*<tool_use_error>",
)
"""How a failure begins where the log calls the call a success; only the first 400 characters count."""


class ToolMapping(Record):
    """What one tool does."""

    does: Literal["search", "open", "click", "answer", "nothing"]
    """`search`: finds URLs. `open`: opens the pages of its URLs. `click`: opens the target of an
    element of the page before. `answer`: its argument is the answer. `nothing`: neither."""
    url: tuple[str, ...] = ("url", "urls", "uri", "link", "href", "id")
    """Arguments that may hold the URL or a list of URLs; the first that is there counts."""
    query: tuple[str, ...] = ("query", "queries", "q", "search_query", "input")
    """Arguments that may hold the words of a search."""
    gives: Literal["page", "summary"] = "page"
    """What the agent gets of a page: its text, or what another model says of it."""
    argument: tuple[str, ...] = ("content", "text", "answer", "report")
    """Of `answer`: arguments that may hold the answer."""
    element: tuple[str, ...] = ("element_id", "element", "id", "ref")
    """Of `click`: arguments that may name the element."""
    path: str = ""
    """Of `answer`: a pattern for the argument `path` or `file_path`; other files are no answer."""


class Mapping(Record):
    """The tools of an agent, and how its log says that something failed or was sent back."""

    tools: dict[str, ToolMapping] = Field(default={})
    failures: tuple[str, ...] = FAILURES
    """Patterns of a result that says that the call failed."""
    corrective: str = ""
    """A pattern for what the agent was told of a rejected answer; what follows is its next attempt."""

    @field_validator("failures")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            _compiled(pattern)
        return patterns

    @field_validator("corrective")
    @classmethod
    def _is_pattern(cls, pattern: str) -> str:
        _compiled(pattern)
        return pattern

    def with_tools(self, tools: dict[str, ToolMapping]) -> Self:
        """Return the same mapping, with these tools under those of its own."""
        return self.model_copy(update={"tools": {**tools, **self.tools}})

    def fails(self, text: str) -> bool:
        """Return whether the result of a call says that it failed."""
        begin = text[:400]
        return any(re.search(pattern, begin) for pattern in self.failures)


def _compiled(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as exc:
        raise ValueError(f"{pattern!r} is no pattern: {exc}") from exc


_SEARCH, _OPEN = ToolMapping(does="search"), ToolMapping(does="open")
_SUMMARY = ToolMapping(does="open", gives="summary")
_CLICK, _NOTHING = ToolMapping(does="click"), ToolMapping(does="nothing")
_REPORT = ToolMapping(does="answer", path=r"(?i)\.(md|markdown|txt)$")

_COMMON = {
    **dict.fromkeys(
        ("web_search", "websearch", "search", "search_web", "google_search", "brave_search",
         "duckduckgo_search", "tavily_search", "tavily_search_results_json", "internet_search"),
        _SEARCH,
    ),
    **dict.fromkeys(
        ("fetch", "fetch_url", "fetch_page", "web_fetch", "webfetch", "open_page", "open_url",
         "visit_page", "visit_webpage", "read_page", "read_url", "scrape", "crawl", "crawl_tool"),
        _OPEN,
    ),
    "visit": _SUMMARY,
    **dict.fromkeys(
        ("think", "think_tool", "final_answer", "submit", "submit_answer", "python", "calculator",
         "todo_write", "write_todos", "read_file", "ls", "glob", "grep", "edit_file",
         "present_files", "ask_clarification"),
        _NOTHING,
    ),
}  # fmt: skip

BUILT_IN: dict[str, dict[str, ToolMapping]] = {
    "claude-code": {
        "WebSearch": _SEARCH,
        "WebFetch": _SUMMARY,
        **dict.fromkeys(
            ("Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode",
             "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "LSP", "MultiEdit", "NotebookEdit",
             "NotebookRead", "Read", "Skill", "StructuredOutput", "Task", "TaskCreate", "TaskGet",
             "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite",
             "ToolSearch", "Write"),
            _NOTHING,
        ),
    },
    "langgraph": {"write_file": _REPORT, "bash": _NOTHING, "str_replace": _NOTHING},
    "inspect": {
        "web_browser_go": _OPEN,
        "web_browser_click": _CLICK,
        "web_browser_type_submit": _NOTHING,
        **dict.fromkeys(
            ("web_browser_back", "web_browser_forward", "web_browser_refresh", "web_browser_scroll",
             "web_browser_type", "bash", "bash_session", "text_editor"),
            _NOTHING,
        ),
    },
}  # fmt: skip
"""The tools of known agents by format; those that many agents have alike count in every format."""


def load_mapping(file: Path | None, form: str) -> Mapping:
    """Return what is known of the tools of a format's agents, with those of a file before them.

    Args:
        file: TOML as docs/import.md says; `None` for what is built in alone.
        form: The format.

    Raises:
        UsageError: If the file cannot be read, or says what no mapping has.
    """
    known = {**_COMMON, **BUILT_IN.get(form, {})}
    if file is None:
        return Mapping(tools=known)
    try:
        data = tomllib.loads(file.read_bytes().decode())
    except OSError as exc:
        raise UsageError(f"{file}: {exc.strerror}") from exc
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise UsageError(f"{file}: not TOML: {exc}") from exc
    try:
        return Mapping.model_validate(data).with_tools(known)
    except ValidationError as exc:
        raise UsageError(f"{file}: {_words(exc)}") from exc


def _words(exc: ValidationError) -> str:
    """Return the first error with its place, and the nearest name that is legal."""
    first = exc.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        legal = [*Mapping.model_fields, *ToolMapping.model_fields]
        near = get_close_matches(str(first["loc"][-1]), legal, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"{place}: unknown{hint}"
    return f"{place}: {first['msg']}"
