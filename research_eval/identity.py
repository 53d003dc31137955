"""Which code was plugged in: a module in, one digest of its source and of what it imports beside it out.

Only source of the same project counts: what stands under the folder that the module's own name begins
in. Installed libraries are told apart by their versions, and this package by its own. Imports are read
from the source, those inside functions as well; one that is made of text at run time is not seen.
"""

import ast
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["PluggedCode", "code_of_module"]

OURS = "research_eval"


class PluggedCode(NamedTuple):
    """The source that a plugged-in object is made of."""

    sha256: str
    """Over the names and contents of all its modules."""
    modules: dict[str, str]
    """The SHA-256 of each module's file, by the module's name."""
    folder: str
    """Where the project begins: the folder that the modules' names are relative to."""


def code_of_module(name: str) -> PluggedCode | None:
    """Return the source that the imported module `name` is made of.

    Returns:
        `None` for a module of this package or of the standard library, which versions tell apart, and
        for one without a file.
    """
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    top = name.partition(".")[0]
    if file is None or top == OURS or top in sys.stdlib_module_names:
        return None
    path = Path(file).resolve()
    root = path.parents[name.count(".") + (path.name == "__init__.py")]
    is_library = str(root) in {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    found: dict[str, str] = {}
    queue = [name]
    while queue:
        one = queue.pop()
        source = _file_of(one, root)
        is_foreign = is_library and one.partition(".")[0] != top
        if one in found or source is None or is_foreign:
            continue
        content = source.read_bytes()
        found[one] = hashlib.sha256(content).hexdigest()
        queue += [one.rpartition(".")[0], *_imports(content, one, is_package=_is_package(source))]
    lines = "".join(f"{one} {found[one]}\n" for one in sorted(found))
    return PluggedCode(hashlib.sha256(lines.encode()).hexdigest(), found, str(root))


def _is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def _file_of(name: str, root: Path) -> Path | None:
    """Return the source of a module of the project; `None` if it is none."""
    if not name:
        return None
    place = root.joinpath(*name.split("."))
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def _imports(content: bytes, name: str, *, is_package: bool) -> Iterator[str]:
    """Yield the names of modules that a source may import."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return
    package = name if is_package else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """Return the module that a `from` import names, from the project's folder on."""
    parts = package.split(".") if package else []
    above = parts[: len(parts) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])
