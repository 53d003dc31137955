"""Find what users plug in: a built-in name, an entry point, or a dotted path `package.module:name`."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points

from research_eval.errors import ConfigError

__all__ = ["load_plugin"]


def load_plugin(kind: str, name: str, built_in: Mapping[str, object]) -> object:
    """Return the object called `name` among the plugins of `kind`.

    Args:
        kind: The entry-point group after `research_eval.`, for instance `gate` or `scorer`.
        name: A built-in name, an entry point's name, or `package.module:name`.
        built_in: What the project itself offers under this kind.

    Raises:
        ConfigError: If there is no such plugin, or it cannot be imported.
    """
    if name in built_in:
        return built_in[name]
    for point in entry_points(group=f"research_eval.{kind}", name=name):
        return point.load()
    module, colon, attribute = name.partition(":")
    if not colon:
        known = ", ".join(sorted(built_in))
        raise ConfigError(f"unknown {kind} {name!r}; known: {known}; or give package.module:name")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as exc:
        raise ConfigError(f"cannot load {kind} {name!r}: {exc}") from exc
