"""How numbers are written in every report, so that all of them agree to the last digit."""

from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.schema import RunRecord
from research_eval.stats.interval import wilson

__all__ = [
    "DASH",
    "NOTHING",
    "QUESTION",
    "bounds_text",
    "detectable_text",
    "labels",
    "lead",
    "mean_text",
    "needed_text",
    "number_text",
    "origin",
    "percent",
    "rate_text",
    "run_facts",
    "run_labels",
    "share_text",
    "spoken_word",
]

QUESTION = "Do answers cite only pages that were opened?"
"""What every report is about."""
DASH = "\N{EN DASH}"
"""Between the bounds of an interval."""
NOTHING = DASH
"""Written where there is no value."""
AT_MOST = "\N{LESS-THAN OR EQUAL TO} "
"""Before a bound."""


def percent(share: float | None) -> str:
    """Return a share as a percentage with one digit.

    >>> percent(2 / 3)
    '66.7 %'
    """
    return NOTHING if share is None else f"{100 * share:.1f} %"


def rate_text(rate: Rate) -> str:
    """Return a rate with its interval and its counts."""
    if not rate.n:
        return NOTHING
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}] {rate.k}/{rate.n}"


def number_text(value: float | None) -> str:
    """Return a sum or a mean: whole numbers in groups of three, others with two digits.

    >>> number_text(12345.0).split(), number_text(0.5)
    (['12', '345'], '0.50')
    """
    if value is None:
        return NOTHING
    if float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:,.2f}".replace(",", "\u202f")


def mean_text(value: float | None) -> str:
    """Return a mean with two digits."""
    return NOTHING if value is None else f"{value:.2f}"


def spoken_word(word: str) -> str:
    """Return a word of the records as tables write it.

    >>> spoken_word("unknown_url")
    'unknown URL'
    """
    return word.replace("_", " ").replace("unknown url", "unknown URL")


def bounds_text(low: float | None, high: float | None) -> str:
    """Return the bounds of a share in percent, without the sign.

    >>> bounds_text(0.25, 1.0).split(DASH)
    ['25.0', '100.0']
    """
    return "" if low is None or high is None else f"{100 * low:.1f}{DASH}{100 * high:.1f}"


def share_text(k: int, n: int) -> str:
    """Return a share of a labelled set with its Wilson interval and its counts."""
    if not n:
        return NOTHING
    low, high = wilson(k, n)
    return f"{percent(k / n)} [{100 * low:.1f}, {100 * high:.1f}] {k}/{n}"


def detectable_text(detectable: float | None, *, is_bound: bool) -> str:
    """Return the smallest difference that can be shown, in percentage points."""
    if detectable is None:
        return NOTHING
    if detectable >= 1:
        return "none"
    return f"{AT_MOST if is_bound else ''}{100 * detectable:.1f}"


def needed_text(cases: int | None, *, is_bound: bool) -> str:
    """Return how many cases a difference needs."""
    return NOTHING if cases is None else f"{AT_MOST if is_bound else ''}{_grouped(cases)}"


def labels(configuration: ConfigurationView) -> tuple[str, ...]:
    """Return what a reader must know before comparing this configuration's numbers."""
    found = []
    if configuration.summary.is_reference_agent:
        found.append("reference agent")
    if configuration.verdict == "inconclusive":
        found.append("INCONCLUSIVE")
    return tuple(found)


def run_labels(view: RunView) -> tuple[str, ...]:
    """Return what a reader must know of the whole run."""
    found = [f"model {view.manifest.model_mode}", f"web {view.manifest.web_mode}"]
    if view.manifest.dataset_is_synthetic:
        found.insert(0, "synthetic web")
    return tuple(found)


def lead(view: RunView) -> str:
    """Return in one sentence what was run."""
    manifest = view.manifest
    scripts = sum(c.is_reference_agent for c in manifest.configurations)
    models = len(manifest.configurations) - scripts
    kinds = [
        _counted(n, what)
        for n, what in ((models, "model configuration"), (scripts, "reference agent"))
        if n
    ]
    ran = sum(c.run.value for c in view.configurations)
    judged = sum(c.coverage.k for c in view.configurations)
    planned = manifest.planned
    return (
        f"{' and '.join(kinds) or 'No configuration'}, {_counted(len(manifest.case_ids), 'question')}, "
        f"{_counted(manifest.trials, 'trial')} each: {_grouped(planned)} planned, "
        f"{_grouped(ran)} run, {_grouped(judged)} judged."
    )


def origin(view: RunView) -> str:
    """Return where questions, pages and replies come from, and what of it is made up."""
    manifest = view.manifest
    parts = [f"Dataset {manifest.dataset}, sha256 {manifest.dataset_sha256[:12]}."]
    if manifest.dataset_is_synthetic:
        parts.append("Synthetic: its questions and the pages of its web were made for the purpose.")
    modes = {"models": manifest.model_mode, "the web": manifest.web_mode}
    if manifest.model_mode == "imported":
        parts.append(
            "Imported from logs of an agent that ran elsewhere: what was opened is what they say."
        )
        return " ".join([*parts, f"research_eval {manifest.code_version}."])
    if set(modes.values()) == {"replay"}:
        cassettes = (manifest.cassettes_sha256 or "")[:12]
        parts.append(
            f"Models and the web were replayed from recordings, sha256 {cassettes or NOTHING}."
        )
    else:
        said = {"replay": "replayed", "record": "asked live and recorded", "live": "asked live"}
        parts.append(
            f"{'; '.join(f'{who}: {said[mode]}' for who, mode in modes.items())}.".capitalize()
        )
    parts.append(f"research_eval {manifest.code_version}.")
    return " ".join(parts)


def _counted(number: int, word: str) -> str:
    return f"{_grouped(number)} {word}{'' if number == 1 else 's'}"


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def run_facts(manifest: RunRecord) -> dict[str, str]:
    """Return what was run, in words."""
    return {
        "experiment": manifest.experiment,
        "dataset": f"{manifest.dataset} ({len(manifest.case_ids)} cases)",
        "trials a case and configuration": str(manifest.trials),
        "seed": str(manifest.seed),
        "experiment, sha256": manifest.experiment_sha256,
        "dataset, sha256": manifest.dataset_sha256,
        "cassettes, sha256": manifest.cassettes_sha256 or NOTHING,
        "code": manifest.code_version,
        "packages": ", ".join(f"{name} {version}" for name, version in manifest.packages.items()),
    }
