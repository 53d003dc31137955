"""Secret: values that must never be written in, text and bytes without them out."""

from research_eval.secret.environment import (
    NAMES_VARIABLE,
    PlaceholderSecrets,
    clean_json,
    declare_secrets,
    insist_on_secrets,
    is_secret_value,
    known_secrets,
    last_scrub,
    read_secrets,
)
from research_eval.secret.known import SCRUBBED, KnownSecrets
from research_eval.secret.shape import KEY_SHAPES, shapes_in

__all__ = [
    "KEY_SHAPES",
    "NAMES_VARIABLE",
    "SCRUBBED",
    "KnownSecrets",
    "PlaceholderSecrets",
    "clean_json",
    "declare_secrets",
    "insist_on_secrets",
    "is_secret_value",
    "known_secrets",
    "last_scrub",
    "read_secrets",
    "shapes_in",
]
