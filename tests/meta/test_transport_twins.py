"""The transports for httpx and for httpx2, which share no types, are one program written twice: a change goes to both."""

import ast
import re
from pathlib import Path

import pytest

import research_eval


def program(path):
    """Return the code without its docstrings, as it would be for httpx."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.AsyncFunctionDef | ast.FunctionDef):
            node.body = node.body[ast.get_docstring(node) is not None :]
    return re.sub(
        r"\b(httpx|FaultTransport|UnrecordedError|CassetteTransport|_HalfStream)2\b",
        r"\1",
        ast.unparse(tree),
    )


@pytest.mark.parametrize("package", ["cassette", "fault"])
def test_what_one_transport_does_its_twin_does(package):
    folder = Path(research_eval.__file__).parent / package

    assert program(folder / "transport2.py") == program(folder / "transport.py")
