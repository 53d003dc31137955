"""Ledger: what a trial touched in, what it really opened out."""

from research_eval.ledger.key import SourceKey, url_key
from research_eval.ledger.registry import (
    MAX_TEXT_CHARS,
    KeyFunction,
    OpenedPage,
    SeenHit,
    SourceRegistry,
)
from research_eval.ledger.site import is_same_site, site_of_url

__all__ = [
    "MAX_TEXT_CHARS",
    "KeyFunction",
    "OpenedPage",
    "SeenHit",
    "SourceKey",
    "SourceRegistry",
    "is_same_site",
    "site_of_url",
    "url_key",
]
