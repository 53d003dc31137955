"""One choice of tools, and everything that is said of it: prompt, description, A2A agent card."""

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal, Self

from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator

from research_eval.schema import Record, ToolSpec
from research_eval.tool.kit import CORE_TOOL_ID, SEARCH_TOOL_ID, ToolKit
from research_eval.tool.protocol import Tool

__all__ = ["PromptSettings", "ToolSet"]

A2A_VERSION = "1.0"
"""The version of the A2A protocol whose agent card is written."""


class PromptSettings(Record):
    """What the system prompt asks of the answer."""

    form: Literal["full", "short"] = "full"
    """`short` leaves out all but the steps, for models that cannot follow a page of rules."""
    answer_style: Literal["concise", "sentence", "report"] = "concise"
    """How long the answer is."""
    answer_language: str | None = None
    """The language of the answer, by name; `None` is the language of the question."""
    system: str | None = None
    """The whole system prompt, in place of ours. Where `{tools}`, `{hints}`, `{steps}`, `{style}` or
    `{language}` stands in it, our words on that are put there. In a file `{ file = "PATH" }` is the
    text of that file, relative to the experiment's."""
    extra: str = ""
    """Words of the caller's own, put at the end; from a file in the same way."""

    @model_validator(mode="after")
    def _can_be_honoured(self) -> Self:
        if self.system is not None and self.form != "full":
            raise ValueError("system: takes the place of the prompt that form chooses; give one")
        for name in ("answer_style", "answer_language"):
            word = name.removeprefix("answer_")
            is_set = getattr(self, name) != type(self).model_fields[name].default
            if self.system is not None and is_set and f"{{{word}}}" not in self.system:
                raise ValueError(f"{name}: has no effect: system does not hold {{{word}}}")
        return self

    @model_serializer(mode="wrap")
    def _without_what_is_unset(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        if data.get("system", True) is None:  # manifests of earlier versions do not name it
            del data["system"]
        return data


class ToolSet:
    """The tools that an agent was given; the only place that knows them."""

    def __init__(self, kit: ToolKit, wanted: Iterable[str] | None = None) -> None:
        """Choose from `kit`; `fetch` is always among the tools.

        Args:
            kit: What could be given.
            wanted: The ids asked for; `None` is everything the kit has, empty is `fetch` alone.

        Raises:
            ConfigError: If the kit does not have one of the ids.
        """
        ids = kit.available_tool_ids if wanted is None else (*wanted, CORE_TOOL_ID)
        self.tools: tuple[Tool, ...] = kit.tools(ids)
        self.ids = tuple(id_ for id_ in kit.available_tool_ids if id_ in ids)
        self.specs: tuple[ToolSpec, ...] = tuple(tool.spec for tool in self.tools)
        self._by_name = {tool.spec.name: tool for tool in self.tools}

    def get(self, name: str) -> Tool | None:
        """Return the tool that a model calls by `name`."""
        return self._by_name.get(name)

    @property
    def can_search(self) -> bool:
        """Whether the agent can find pages that the question does not name."""
        return SEARCH_TOOL_ID in self.ids

    def system_prompt(self, settings: PromptSettings) -> str:
        """Return the system prompt for these tools and no others."""
        return _system_prompt(self.ids, self.specs_summary(), settings)

    def specs_summary(self) -> tuple[str, ...]:
        """Return one line on each tool, in order."""
        pairs = zip(self.ids, self.specs, strict=True)
        return tuple(_prompt_or(f"tool_{id_}", spec) for id_, spec in pairs)

    def description(self) -> str:
        """Return what the agent does, in one sentence."""
        return prompt_text("description_web_search" if self.can_search else "description_fetch")

    def agent_card(
        self, *, url: str, version: str, name: str = "research-eval agent"
    ) -> dict[str, Any]:
        """Return the A2A agent card, as JSON values, for the agent served at `url`."""
        return {
            "name": name,
            "description": self.description(),
            "version": version,
            "supportedInterfaces": [
                {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": A2A_VERSION}
            ],
            "capabilities": {"streaming": False, "pushNotifications": False},
            "defaultInputModes": ["text/plain"],
            "defaultOutputModes": ["text/markdown"],
            "skills": [
                {
                    "id": id_,
                    "name": id_.replace("_", " "),
                    "description": line,
                    "tags": ["research"],
                }
                for id_, line in zip(self.ids, self.specs_summary(), strict=True)
            ],
        }


@lru_cache
def prompt_text(name: str) -> str:
    """Return the text of `prompts/<name>.md`."""
    path = files("research_eval.agent") / "prompts" / f"{name}.md"
    return path.read_text(encoding="utf-8").strip()


def _prompt_or(name: str, spec: ToolSpec) -> str:
    """Return our own line on a tool, or for a tool of the caller's its spec's description."""
    path = files("research_eval.agent") / "prompts" / f"{name}.md"
    return prompt_text(name) if path.is_file() else f"`{spec.name}`: {spec.description}"


@lru_cache(maxsize=256)
def _system_prompt(ids: tuple[str, ...], lines: tuple[str, ...], settings: PromptSettings) -> str:
    can_search = SEARCH_TOOL_ID in ids
    ours = "short" if settings.form == "short" else "system"
    template = prompt_text(ours) if settings.system is None else settings.system
    text = (
        template.replace("{tools}", "\n".join(f"- {line}" for line in lines))
        .replace("{hints}", f"{prompt_text('hints_web_search')} " if can_search else "")
        .replace("{steps}", prompt_text("steps_web_search" if can_search else "steps_fetch"))
        .replace("{style}", prompt_text(f"style_{settings.answer_style}"))
        .replace("{language}", _language(settings.answer_language))
    )
    return f"{text}\n{settings.extra}" if settings.extra else text


def _language(name: str | None) -> str:
    if name is None:
        return prompt_text("language_question")
    return prompt_text("language_fixed").replace("{language}", name)
