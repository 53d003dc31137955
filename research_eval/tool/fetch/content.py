"""Tell which elements a page's author named as its content."""

import re

from research_eval.tool.fetch.dom import Element

__all__ = ["CONTAINERS", "is_named_content"]

CONTAINERS = frozenset(
    {
        "article",
        "body",
        "center",
        "div",
        "form",
        "main",
        "section",
        "table",
        "tbody",
        "td",
        "tr",
        "span",
    }
)
"""Elements that may hold the content of a page."""
_BODY = "articleBody"
"""What schema.org calls an article's text."""
_CONTENT_NAMES = re.compile(
    r"(?:^|[\s_-])(?:(?:entry|post|article|story|main|page|blog|news|node|text|body)[-_]?"
    r"(?:content|body|text|copy)|content[-_]?(?:body|main|area|wrapper|inner|text)|markdown-body"
    r"|mw-parser-output|rst-content|articlebody|theme-doc-markdown|post-full-content)(?:$|[\s_-])",
    re.IGNORECASE,
)


def is_named_content(element: Element) -> bool:
    """Say whether `element` is called the content of a page, or of an article on it."""
    if element.tag not in CONTAINERS:
        return False
    names = f"{element.get('class')} {element.get('id')}"
    is_declared = _BODY in {element.get("itemprop"), element.get("name")}
    return is_declared or _CONTENT_NAMES.search(names) is not None
