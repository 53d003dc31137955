"""The run as report.md: tables that GitHub renders as they stand."""

import re
from collections.abc import Iterable, Sequence

from research_eval.report.view import ConfigurationView, Rate, RunView, ScoreView
from research_eval.report.wording import (
    NOTHING,
    labels,
    mean_text,
    number_text,
    percent,
    rate_text,
    run_labels,
)

__all__ = ["escape_markdown", "render_markdown"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&$:@])")
_ROW = Sequence[str]


def escape_markdown(text: str) -> str:
    r"""Return `text` on one line, so that no character of it is markup.

    >>> print(escape_markdown("a|b <script>"))
    a\|b \<script\>
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def render_markdown(view: RunView) -> str:
    """Return the file's text."""
    parts = [_head(view), _summary(view), _strict(view), _violations(view), _retries(view)]
    parts += [_work(view), _failover(view), _usage(view), _scores(view), _trace(), _run(view)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(headings: Sequence[str], rows: Iterable[_ROW]) -> str:
    lines = [f"| {' | '.join(headings)} |", f"|---|{'---:|' * (len(headings) - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def _name(configuration: ConfigurationView) -> str:
    marks = "".join(f"<br>*{label}*" for label in labels(configuration))
    return escape_markdown(configuration.name) + marks


def _head(view: RunView) -> str:
    manifest = view.manifest
    lines = [f"# {escape_markdown(manifest.experiment)}", ""]
    lines.append(f"*{', '.join(run_labels(view))}.*")
    if not view.is_conclusive:
        floor = percent(view.settings.coverage_floor)
        lines += ["", f"**INCONCLUSIVE**: a configuration has less than {floor} of its planned"]
        lines[-1] += " trials judged."
    return "\n".join(lines)


def _summary(view: RunView) -> str:
    headings = ["configuration", "planned", "judged", "first attempt", "final", "repair"]
    headings += ["retries", "errors"]
    rows = [
        [
            _name(c),
            str(c.planned.value),
            str(c.coverage.k),
            rate_text(c.first_pass.conditional),
            rate_text(c.final_pass.conditional),
            rate_text(c.repair),
            mean_text(c.retries.mean),
            str(c.statuses["error"].value),
        ]
        for c in view.configurations
    ]
    note = f"Rates are of the judged trials, with {100 * view.settings.confidence:g} % Wilson"
    note += " intervals; repair is of the trials whose first answer failed."
    return f"## Summary\n\n{_table(headings, rows)}\n\n{note}"


def _strict(view: RunView) -> str:
    headings = ["configuration", "first attempt", "final", "coverage"]
    headings += ["completed", "rejected", "refused", "limit", "error", "not run"]
    rows = [
        [
            _name(c),
            rate_text(c.first_pass.strict),
            rate_text(c.final_pass.strict),
            rate_text(c.coverage),
            *(str(number.value) for number in c.statuses.values()),
        ]
        for c in view.configurations
    ]
    note = "Every planned trial counts here: one that failed or was not run has passed nothing."
    return f"## Strict rates and endings\n\n{_table(headings, rows)}\n\n{note}"


def _violations(view: RunView) -> str:
    if not view.configurations:
        return ""
    kinds = [violation.kind for violation in view.configurations[0].violations]
    headings = [
        "configuration",
        *(f"{kind}, {when}" for kind in kinds for when in ("first", "final")),
    ]
    rows = [
        [_name(c), *(_short(rate) for v in c.violations for rate in (v.first, v.final))]
        for c in view.configurations
    ]
    note = "Trials with at least one such violation in their first and in their last answer."
    return f"## Violations by kind\n\n{_table(headings, rows)}\n\n{note}"


def _short(rate: Rate) -> str:
    return f"{rate.k}/{rate.n}" if rate.n else NOTHING


def _retries(view: RunView) -> str:
    longest = max((len(c.retry_distribution) for c in view.configurations), default=0)
    headings = ["configuration", "mean", *(f"{n} retries" for n in range(longest))]
    rows = []
    for c in view.configurations:
        counts = [str(number.value) for _, number in c.retry_distribution]
        counts += [NOTHING] * (longest - len(counts))
        rows.append([_name(c), mean_text(c.retries.mean), *counts])
    return f"## Retries\n\n{_table(headings, rows)}"


def _columns(view: RunView, title: str, columns: dict[str, str], *, mean: bool) -> str:
    def cell(configuration: ConfigurationView, column: str) -> str:
        found = configuration.totals[column]
        return mean_text(found.mean) if mean else number_text(found.value if found.trials else None)

    rows = [[_name(c), *(cell(c, column) for column in columns)] for c in view.configurations]
    return f"## {title}\n\n{_table(['configuration', *columns.values()], rows)}"


def _work(view: RunView) -> str:
    columns = {
        "turns": "turns",
        "tool_calls": "tool calls",
        "failed_tool_calls": "failed tool calls",
        "searches": "searches",
        "fetches": "fetches",
        "failed_fetches": "failed fetches",
        "request_retries": "request retries",
        "virtual_seconds": "virtual seconds",
    }
    return _columns(view, "Work a trial, means", columns, mean=True)


def _failover(view: RunView) -> str:
    headings = ["configuration", "provider", "served", "tries: served", "cached", "empty"]
    headings += ["error", "skipped"]
    rows = [
        [
            _name(c),
            escape_markdown(provider.name),
            number_text(provider.served.value),
            *(number_text(tries.value) for _, tries in provider.outcomes),
        ]
        for c in view.configurations
        for provider in c.providers
    ]
    columns = {
        "searches": "searches",
        "search_fallbacks": "fell back",
        "search_unserved": "unserved",
        "search_cache_hits": "cache hits",
        "breaker_openings": "breaker openings",
        "breaker_skips": "breaker skips",
        "search_requests": "HTTP requests",
        "search_rate_limited": "rate limited",
        "off_tape": "off tape",
    }
    first = _columns(view, "Search failover, sums", columns, mean=False)
    return f"{first}\n\n{_table(headings, rows)}" if rows else first


def _usage(view: RunView) -> str:
    columns = {
        "model_requests": "model requests",
        "input_tokens": "input tokens",
        "output_tokens": "output tokens",
        "unmeasured_requests": "without usage",
        "cost_usd": "reported cost, USD",
    }
    return _columns(view, "Usage, sums", columns, mean=False)


def _scores(view: RunView) -> str:
    headings = ["configuration", "score", "mean or rate", "scored", "unscored"]
    rows = [
        [_name(c), escape_markdown(s.name), _value(s), str(s.total.trials), str(s.unscored.value)]
        for c in view.configurations
        for s in c.scores
    ]
    if not rows:
        return ""
    body = _table(headings, rows)
    return f"## All scores\n\n<details><summary>{len(rows)} rows</summary>\n\n{body}\n\n</details>"


def _value(score: ScoreView) -> str:
    return rate_text(score.rate) if score.rate else mean_text(score.total.mean)


def _trace() -> str:
    return """## Where the numbers come from

Each number is a count or a sum over rows of `scores.csv`, one row a planned trial.
Its `line` is the line of `trials.jsonl` on which the trial stands.
In `report.html` each number is a link to the list of its trials.

- *judged*: `final_passed` is 0 or 1.
- *first attempt*: `first_attempt_passed` is 1, of those where it is 0 or 1.
- *final*: `final_passed` is 1, of those where it is 0 or 1; strict: of all rows.
- *repair*: `repaired` is 1, of those where it is 0 or 1.
- *retries*: mean of `retries` over the rows that have it.
- violations: `first_KIND` and `final_KIND` are 1, of those where they are 0 or 1.
- search failover: `served_by:PROVIDER` and `tries:PROVIDER:OUTCOME` summed.
- all others: the column of the same name, over the rows that have it."""


def _run(view: RunView) -> str:
    m = view.manifest
    facts = {
        "dataset": f"{m.dataset} ({len(m.case_ids)} cases)",
        "trials a case and configuration": str(m.trials),
        "seed": str(m.seed),
        "experiment sha256": m.experiment_sha256,
        "dataset sha256": m.dataset_sha256,
        "cassettes sha256": m.cassettes_sha256 or NOTHING,
        "code": m.code_version,
        "packages": ", ".join(f"{name} {version}" for name, version in m.packages.items()),
    }
    rows = [[name, escape_markdown(value)] for name, value in facts.items()]
    return f"## Run\n\n{_table(['what', 'value'], rows)}"
