"""The tools that stand ready for one trial: `fetch` always, `web_search` where a provider is."""

from collections.abc import Iterable, Sequence

from research_eval.errors import ConfigError
from research_eval.tool.protocol import Tool

__all__ = ["CORE_TOOL_ID", "SEARCH_TOOL_ID", "ToolKit"]

CORE_TOOL_ID = "fetch"
"""The tool that no choice of tools can leave out: without it nothing can be opened."""

SEARCH_TOOL_ID = "web_search"


class ToolKit:
    """Everything that an agent could be given; what it is given, its settings choose."""

    def __init__(
        self, *, fetch: Tool, search: Tool | None = None, extra: Sequence[Tool] = ()
    ) -> None:
        """Keep the tools in the order in which a model sees them.

        Args:
            fetch: The tool that opens pages; its id is `fetch`, whatever its spec says.
            search: The search tool; `None` where no provider is configured.
            extra: Tools of the caller's own, each under the name in its spec.

        Raises:
            ConfigError: If two tools have the same id.
        """
        named = [] if search is None else [(SEARCH_TOOL_ID, search)]
        named += [(CORE_TOOL_ID, fetch), *((tool.spec.name, tool) for tool in extra)]
        self._tools = dict(named)
        if len(self._tools) != len(named):
            raise ConfigError(f"two tools share an id: {', '.join(id_ for id_, _ in named)}")

    @property
    def available_tool_ids(self) -> tuple[str, ...]:
        """The ids that may be asked for, in the order in which a model sees the tools."""
        return tuple(self._tools)

    def tools(self, ids: Iterable[str]) -> tuple[Tool, ...]:
        """Return the tools with these ids, in the kit's order whatever the order of `ids`.

        Raises:
            ConfigError: If the kit has no tool with one of the ids.
        """
        wanted = set(ids)
        if unknown := sorted(wanted - self._tools.keys()):
            known = ", ".join(self._tools)
            raise ConfigError(f"unknown tool {unknown[0]!r}; this kit has: {known}")
        return tuple(tool for id_, tool in self._tools.items() if id_ in wanted)
