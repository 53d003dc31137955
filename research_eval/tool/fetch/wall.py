"""Tell pages that show nothing: not found, robot checks, consent and login forms, empty shells.

Every rule on words is gated by how little there is to read: a page with a real text on it is a
page, whatever words stand in its title.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from research_eval.schema import Evidence
from research_eval.tool.fetch.page import PageFlag
from research_eval.tool.fetch.phrases import phrase_pattern

__all__ = ["Impression", "evidence_of", "find_flags"]

_THIN = 1500
"""Visible characters up to which a page may be a wall."""
_VERY_THIN = 600
_NEXT_TO_NOTHING = 120
_STUB = 100
"""Visible characters below which a page that sends its visitor on holds nothing else."""
_SHELL = 250
_TWICE = 2
_MOST_OF_PAGE = 0.6
_TEASER = 4000
_MITIGATED = {
    "cf-mitigated": re.compile("challenge"),
    "x-amzn-waf-action": re.compile("challenge|captcha"),
    "x-vercel-mitigated": re.compile("challenge|deny"),
}
_EVIDENCE: tuple[tuple[PageFlag, Evidence], ...] = (
    ("bot_wall", "bot_wall"),
    ("consent_wall", "consent_wall"),
    ("login_wall", "login_wall"),
    ("soft_404", "soft_404"),
    ("js_required", "empty_shell"),
    ("empty", "empty_shell"),
)


@dataclass(frozen=True)
class Impression:
    """What there is to judge a page by."""

    title: str
    heading: str
    """Its first-level headings."""
    text: str
    """The beginning of its main content, as plain text."""
    tail: str
    """The end of it."""
    chars: int
    """Visible characters of the main content."""
    visible_chars: int
    """Visible characters of the whole page."""
    visible_text: str
    """The beginning of the whole page's text."""
    furniture_text: str
    """Texts of consent banners, paywalls and the like that were taken off."""
    noscript: str
    scripts: int
    has_empty_root: bool
    has_password_field: bool
    is_paid: bool
    html: str
    """The beginning of the source, for traces that robot checks leave."""


def find_flags(page: Impression, headers: Mapping[str, str]) -> tuple[PageFlag, ...]:
    """Return what is odd about a page, the worst first."""
    flags: list[PageFlag] = []
    if _is_bot_wall(page, headers):
        flags.append("bot_wall")
    elif _is_soft_404(page):
        flags.append("soft_404")
    elif _is_consent_wall(page):
        flags.append("consent_wall")
    elif _is_login_wall(page):
        flags.append("login_wall")
    elif _is_shell(page):
        flags.append("js_required")
    elif page.chars == 0:
        flags.append("empty")
    is_teaser = not flags or (flags == ["login_wall"] and page.chars >= _SHELL)
    if is_teaser and _is_paywalled(page):
        flags = ["paywall"]
    return tuple(flags)


def evidence_of(flags: tuple[PageFlag, ...]) -> Evidence:
    """Return what a page with `flags` is worth."""
    return next((evidence for flag, evidence in _EVIDENCE if flag in flags), "ok")


def _says(section: str, text: str) -> bool:
    return phrase_pattern(section).search(text) is not None


def _is_bot_wall(page: Impression, headers: Mapping[str, str]) -> bool:
    for name, words in _MITIGATED.items():
        if words.search(headers.get(name, "").lower()):
            return True
    if page.visible_chars >= _THIN:
        return False
    spoken = f"{page.title}\n{page.heading}"
    if _says("bot_wall", spoken) or (page.chars < _VERY_THIN and _says("bot_title", spoken)):
        return True
    if page.visible_chars >= _VERY_THIN:
        return False
    return bool(
        _says("bot_wall", page.visible_text)
        or _says("bot_wall", page.noscript)
        or _says("bot_markers", page.html)
        or (page.visible_chars < _NEXT_TO_NOTHING and _says("captcha_widgets", page.html))
    )


def _is_soft_404(page: Impression) -> bool:
    if page.chars >= _THIN:
        return False
    spoken = f"{page.title}\n{page.heading}"
    if _says("soft_404_sure", spoken):
        return True
    if page.chars >= _THIN * 2 // 3:
        return False
    if _says("soft_404", spoken):
        return True
    return page.chars < _VERY_THIN // 2 and bool(
        _says("soft_404", page.text) or (not page.heading and _says("soft_404_sure", page.text))
    )


def _is_consent_wall(page: Impression) -> bool:
    spoken = f"{page.title}\n{page.heading}"
    said = page.text if page.chars else page.visible_text
    if page.chars < _THIN and _says("consent_title", spoken) and _says("consent", said):
        return True
    banner = len("".join(page.furniture_text.split()))
    is_bare = page.chars < _SHELL and banner > _MOST_OF_PAGE * page.visible_chars
    is_bare = is_bare or (page.chars == 0 and banner > _NEXT_TO_NOTHING)
    if is_bare and _says("consent", page.furniture_text):
        return True
    if page.chars >= _VERY_THIN:
        return False
    if _says("consent_opening", page.text[:100]) and _says("consent", page.text):
        return True
    return len(phrase_pattern("consent").findall(page.text)) >= _TWICE


def _is_login_wall(page: Impression) -> bool:
    if page.chars >= _THIN * 2 // 3:
        return False
    spoken = f"{page.title}\n{page.heading}"
    if _says("login_title", spoken) and (
        page.has_password_field or _says("login", page.visible_text)
    ):
        return True
    if page.has_password_field and page.chars < _SHELL:
        return True
    return page.chars < _VERY_THIN and bool(
        _says("login", page.text) or _says("login", page.heading)
    )


def _is_shell(page: Impression) -> bool:
    if page.visible_chars < _STUB and _says("script_redirect", page.html):
        return True
    if page.scripts + len(page.noscript) == 0:
        return False
    if page.visible_chars >= _SHELL:
        return page.chars == 0 and (page.has_empty_root or _says("needs_script", page.noscript))
    if _says("needs_script", page.noscript):
        return True
    if not page.heading and _says("needs_script", page.visible_text):
        return True
    return page.has_empty_root or (page.visible_chars == 0 and page.scripts > 0)


def _is_paywalled(page: Impression) -> bool:
    if page.is_paid:
        return True
    if page.chars >= _TEASER:
        return False
    return bool(_says("paywall", page.tail) or _says("paywall", page.furniture_text))
