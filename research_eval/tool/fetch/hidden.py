"""Tell which elements a person does not see: they may carry words meant for a machine alone."""

import re
from collections.abc import Mapping

from research_eval.tool.fetch.stylesheet import Stylesheet, declares_hidden

__all__ = ["is_hidden"]

_HIDDEN_CLASSES = frozenset(
    {
        "a11y-hidden",
        "d-none",
        "display-none",
        "element-invisible",
        "hidden",
        "hide-text",
        "invisible",
        "is-hidden",
        "is-sr-only",
        "is-visually-hidden",
        "offscreen",
        "screen-reader",
        "screen-reader-only",
        "screen-reader-text",
        "screenreader-only",
        "show-for-sr",
        "sr-only",
        "u-hidden",
        "u-hiddenvisually",
        "u-visually-hidden",
        "usa-sr-only",
        "visually-hidden",
        "visuallyhidden",
        "vh",
        "wai",
        "assistive-text",
    }
)
_NEVER_BY_SHEET = frozenset({"article", "body", "main"})
"""Elements that pages hide only until a script has run, or while a dialogue is open."""
_SHOWN_AGAIN = re.compile(
    r"\b(?:xs|sm|md|lg|xl|2xl|print|focus)[:-](?:block|flex|grid|inline|inline-block|table|table-cell"
    r"|contents|not-sr-only)\b|\bd-(?:sm|md|lg|xl|xxl)-|\bfocusable\b"
)


def is_hidden(tag: str, attrs: Mapping[str, str | None], sheet: Stylesheet) -> bool:
    """Say whether an element with these attributes is out of sight when the page is opened."""
    if "hidden" in attrs and (attrs["hidden"] or "").lower() != "until-found":
        return True
    if (attrs.get("aria-hidden") or "").lower() == "true" and tag not in _NEVER_BY_SHEET:
        return True
    if tag == "dialog" and "open" not in attrs:
        return True
    style = attrs.get("style")
    if style and declares_hidden(style, is_inline=True):
        return True
    classes = attrs.get("class")
    if classes and _has_hiding_class(classes):
        return True
    return tag not in _NEVER_BY_SHEET and sheet.hides(tag, attrs)


def _has_hiding_class(classes: str) -> bool:
    names = classes.lower().split()
    return any(name in _HIDDEN_CLASSES for name in names) and not _SHOWN_AGAIN.search(classes)
