"""What a site's robots.txt allows, by RFC 9309."""

import re
from dataclasses import dataclass, field
from urllib.parse import quote, unquote_to_bytes

__all__ = ["RobotsRules", "parse_robots"]

_MAX_BYTES = 500_000
_MAX_RULES = 5000
_UNESCAPED = "/%*$?=&!'()+,;:@~-._"


@dataclass(frozen=True)
class RobotsRules:
    """The rules of one site for one visitor."""

    rules: tuple[tuple[str, bool], ...] = ()
    """Pattern of a path and whether it is open."""

    def allows(self, path: str) -> bool:
        """Say whether `path`, with its query, may be asked for: the longest rule decides."""
        if path == "/robots.txt":
            return True
        target = _normal(path)
        best_length, is_open = -1, True
        for pattern, allowed in self.rules:
            length = len(pattern)
            is_better = length > best_length or (length == best_length and allowed)
            if is_better and _matches(pattern, target):
                best_length, is_open = length, allowed
        return is_open


@dataclass
class _Group:
    """Rules for the visitors that are named before them."""

    agents: set[str] = field(default_factory=set)
    rules: list[tuple[str, bool]] = field(default_factory=list)


def parse_robots(body: bytes, user_agent: str) -> RobotsRules:
    r"""Return the rules in `body` that hold for `user_agent`: those that name it, else those for all.

    >>> parse_robots(b"User-agent: *\\nDisallow: /private", "research-eval").allows("/private/a")
    False
    """
    groups = _groups(body[:_MAX_BYTES].decode("utf-8", "replace").lstrip("\ufeff"))
    name = re.split(r"[/\s]", user_agent.strip().lower(), maxsplit=1)[0]
    named = [group for group in groups if name in group.agents]
    chosen = named or [group for group in groups if "*" in group.agents]
    rules = [rule for group in chosen for rule in group.rules]
    return RobotsRules(tuple(rules[:_MAX_RULES]))


def _groups(text: str) -> list[_Group]:
    groups: list[_Group] = []
    for line in text.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        name, content = key.strip().lower(), value.strip()
        if not colon:
            continue
        if name == "user-agent":
            if not groups or groups[-1].rules:
                groups.append(_Group())
            groups[-1].agents.add(re.split(r"[/\s]", content.lower(), maxsplit=1)[0])
        elif name in {"allow", "disallow"} and groups:
            # An empty rule closes nothing; it still ends the list of names.
            groups[-1].rules.append((_normal(content), name == "allow" or not content))
    return groups


def _normal(path: str) -> str:
    """Write octets in one way, so that `/%7Ejoe` and `/~joe` are one path."""
    kept = re.sub(r"%2[fF]", "%252F", path)
    return quote(unquote_to_bytes(kept.encode()), safe=_UNESCAPED.replace("%", "")).replace(
        "%252F", "%2F"
    )


def _matches(pattern: str, path: str) -> bool:
    """Match `*` and a final `$` without backtracking over the whole path again and again."""
    is_anchored = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    place = len(first)
    for number, piece in enumerate(rest):
        if is_anchored and number == len(rest) - 1:
            return path.endswith(piece) and len(path) - len(piece) >= place
        found = path.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return not is_anchored or place == len(path)
