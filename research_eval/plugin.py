"""Find what users plug in: a built-in name, an entry point, or a dotted path `package.module:name`."""

import re
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from importlib import import_module, invalidate_caches
from importlib.metadata import entry_points
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from research_eval.errors import CassetteMissError, ConfigError
from research_eval.hint import did_you_mean

__all__ = ["RENAMED", "fault_of", "is_shutdown", "load_plugin", "module_of", "shown"]

EXPECTED = "package.module:name"

RENAMED = {"repair_course": "repair_outcome", "off_tape": "unrecorded"}
"""Scorers and measures of version 0.1.0 that have another name now."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
"""Where an object lies in memory, which differs from run to run."""


def load_plugin(
    kind: str, name: str, built_in: Mapping[str, object], others: Iterable[str] = ()
) -> object:
    """Return the object called `name` among the plugins of `kind`.

    A module that is not found otherwise is looked for in the working folder.

    Args:
        kind: The entry-point group after `research_eval.`, for instance `gate` or `scorer`.
        name: A built-in name, an entry point's name, or `package.module:name`.
        built_in: What the project itself offers under this kind.
        others: More names that the user may give, which are made elsewhere.

    Raises:
        ConfigError: If there is no such plugin, or it cannot be imported.
    """
    if name in built_in:
        return built_in[name]
    complaint = f"cannot load {kind} {name!r}"
    for point in entry_points(group=f"research_eval.{kind}", name=name):
        return _loaded(point.module, point.attr, complaint)
    module, colon, attribute = name.partition(":")
    if name in RENAMED:
        raise ConfigError(f"unknown {kind} {name!r}: it is called {RENAMED[name]!r} now")
    if not colon:
        known = sorted([*built_in, *others])
        hint = did_you_mean(name, known)
        listed = ", ".join(known)
        raise ConfigError(f"unknown {kind} {name!r}{hint}; known: {listed}; or give {EXPECTED}")
    if not attribute or not all(module.split(".")):
        raise ConfigError(f"{complaint}: expected {EXPECTED}")
    return _loaded(module, attribute, complaint)


def module_of(kind: str, name: str, built_in: Iterable[str]) -> str | None:
    """Return the module that `load_plugin` takes an object from; `None` for what is built in."""
    if name in set(built_in):
        return None
    for point in entry_points(group=f"research_eval.{kind}", name=name):
        return point.module
    module, colon, _ = name.partition(":")
    return module if colon else None


def _loaded(module: str, attribute: str, complaint: str) -> object:
    """Return what a module holds; whatever its code raises is said in one line."""
    try:
        found: object = _imported(module)
    except ModuleNotFoundError as exc:
        if not _is_missing(module, exc):
            raise ConfigError(f"{complaint}: {fault_of(exc)}") from exc
        where = "neither installed nor in the working folder"
        raise ConfigError(f"{complaint}: {exc}: it is {where}") from exc
    except BaseException as exc:
        if is_shutdown(exc):
            raise
        raise ConfigError(f"{complaint}: {fault_of(exc)}") from exc
    try:
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError as exc:
        raise ConfigError(f"{complaint}: {exc}") from exc
    return found


def _imported(module: str) -> ModuleType:
    """Import a module, from the working folder if it is nowhere else."""
    here = str(Path.cwd())
    try:
        return import_module(module)
    except ModuleNotFoundError as exc:
        if not _is_missing(module, exc) or here in sys.path:
            raise
    sys.path.append(here)
    try:
        invalidate_caches()
        return import_module(module)
    finally:
        sys.path.remove(here)


def _is_missing(module: str, exc: ModuleNotFoundError) -> bool:
    """Return whether it is `module` that is not there, not one that it imports."""
    return exc.name is not None and f"{module}.".startswith(f"{exc.name}.")


def is_shutdown(exc: BaseException) -> bool:
    """Return whether `exc` ends more than the code that raised it.

    That is an interrupt, a task that was cancelled, and a request that was never recorded. Anything
    else that somebody's code raises, `SystemExit` and a `CancelledError` of its own too, is its fault.
    """
    if isinstance(exc, KeyboardInterrupt | CassetteMissError):
        return True
    if "asyncio" not in sys.modules:  # nobody cancels anything, and it is long to import
        return isinstance(exc, GeneratorExit)
    import asyncio  # noqa: PLC0415

    try:
        task = asyncio.current_task()
    except RuntimeError:
        task = None
    if isinstance(exc, asyncio.CancelledError):
        return task is not None and task.cancelling() > 0
    # thrown into a coroutine that is thrown away, when nothing runs any more
    return isinstance(exc, GeneratorExit) and task is None


def fault_of(exc: BaseException) -> str:
    """Say in one line what went wrong in a user's code, and in which file and line of it."""
    place = _place(exc)
    words = _ADDRESS.sub("", " ".join(_words_of(exc).split()))
    said = f"{type(exc).__name__}: {words}" if words else type(exc).__name__
    return f"{said}, at {place}" if place else said


def shown(value: object) -> str:
    """Return the start of what Python shows of a value, the same in every run."""
    try:
        return f"{_ADDRESS.sub('', repr(value)):.40}"
    except Exception:  # noqa: BLE001  # a class of the user's own that cannot be shown
        return f"<{type(value).__name__}>"


def _words_of(exc: BaseException) -> str:
    try:
        return exc.msg if isinstance(exc, SyntaxError) else str(exc)
    except Exception:  # noqa: BLE001  # a class of the user's own whose words fail
        return ""


def _place(exc: BaseException) -> str | None:
    if isinstance(exc, SyntaxError) and exc.filename:
        return f"{_shown(exc.filename)}:{exc.lineno}"
    project = str(Path(__file__).parent)
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(exc.__traceback__)]
    outside = [(file, line) for file, line in frames if not file.startswith((project, "<"))]
    libraries = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    own = [(file, line) for file, line in outside if not file.startswith(libraries)]
    if not outside:
        return None
    file, line = (own or outside)[-1]
    return f"{_shown(file)}:{line}"


def _shown(file: str) -> str:
    """Return a path from the working folder on, where it stands below it."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
