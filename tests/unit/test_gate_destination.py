"""Explicit destinations are exact."""

import pytest

from research_eval.gate.destination import find_destinations

PAGE = "https://a.example/x"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"[t]({PAGE})", [(PAGE, "markdown")]),
        (f"[t]({PAGE} 'x') ", [(PAGE, "markdown")]),
        (f"[t]({PAGE}(y))", [(f"{PAGE}(y)", "markdown")]),
        (f"[t](<{PAGE} y>)", [(f"{PAGE} y", "markdown")]),
        (f"[t](<{PAGE}\ny>)", []),
        (f"[t](<{PAGE}> y)", []),
        (f"[t]({PAGE}(y)", []),
        (f"[t\\]({PAGE})", []),
        (f"[t\\\\]({PAGE})", [(PAGE, "markdown")]),
        ("[t](https:\\\\a.example\\x)", [("https:\\a.example\\x", "markdown")]),
        ("[t](/x) [t](mailto:a@b.example) [t](ftp://a.example)", []),
        (f"[t]: {PAGE}", [(PAGE, "reference")]),
        (f"   [t]: <{PAGE}>  (title)  \nx", [(PAGE, "reference")]),
        (f"[t]: {PAGE} and more", []),
        (f"x [t]: {PAGE}", []),
        (f"[^1]: {PAGE}", []),
        (f"- [t]: {PAGE}", [(PAGE, "reference")]),
        (f"{'x' * 700}[t]: {PAGE}", []),
        (f"<a href='{PAGE}'>", [(PAGE, "html")]),
        (f"<a HREF={PAGE}>", [(PAGE, "html")]),
        (f"<a data-href='{PAGE}'>", []),
        (f"\\nolinkurl{{{PAGE}}}", [(PAGE, "latex")]),
        (f"[a]({PAGE}) [b]({PAGE}/2)\n\n[c]: {PAGE}/3", [(PAGE, "markdown"), (f"{PAGE}/2", "markdown"), (f"{PAGE}/3", "reference")]),
        (f"<a href='[x]({PAGE})'>", [(PAGE, "markdown")]),
    ],
)  # fmt: skip
def test_a_destination_is_found_with_its_form(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.url, one.form) for one in find_destinations(text)] == found
