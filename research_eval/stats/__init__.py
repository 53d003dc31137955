"""Stats: numbers in, estimates with their intervals out."""

from importlib import import_module
from typing import TYPE_CHECKING

from research_eval.stats.interval import (
    Estimate,
    Interval,
    clopper_pearson,
    wilson,
    zero_events_upper,
)
from research_eval.stats.passk import (
    Variance,
    pass_at_k,
    pass_hat_k,
    variance_components,
)
from research_eval.stats.power import (
    Assumption,
    Power,
    detectable_difference,
    detectable_unpaired,
    needed_cases,
    power_of,
)

if TYPE_CHECKING:
    from research_eval.stats.agreement import (
        Validation,
        cohen_kappa,
        corrected_rate,
        rogan_gladen,
    )
    from research_eval.stats.cluster import (
        Cluster,
        cluster_bootstrap,
        clustered_interval,
        clustered_mean,
        clustered_wilson,
        effective_units,
    )
    from research_eval.stats.confidence import (
        area_under_risk_coverage,
        brier,
        expected_calibration_error,
        penalised_score,
        rms_calibration_error,
    )
    from research_eval.stats.many import CochranQ, cochran_q, newcombe
    from research_eval.stats.noise import FlipRates, aa_flip_rates
    from research_eval.stats.paired import (
        McNemar,
        PairedDifference,
        holm,
        mcnemar,
        paired_bootstrap,
        paired_difference,
        paired_permutation,
    )
    from research_eval.stats.rank import RankInterval, rank_intervals
    from research_eval.stats.ratio import paired_ratio

_LATER = {
    "agreement": ("Validation", "cohen_kappa", "corrected_rate", "rogan_gladen"),
    "cluster": (
        "Cluster",
        "cluster_bootstrap",
        "clustered_interval",
        "clustered_mean",
        "clustered_wilson",
        "effective_units",
    ),
    "confidence": (
        "area_under_risk_coverage",
        "brier",
        "expected_calibration_error",
        "penalised_score",
        "rms_calibration_error",
    ),
    "many": ("CochranQ", "cochran_q", "newcombe"),
    "noise": ("FlipRates", "aa_flip_rates"),
    "paired": (
        "McNemar",
        "PairedDifference",
        "holm",
        "mcnemar",
        "paired_bootstrap",
        "paired_difference",
        "paired_permutation",
    ),
    "rank": ("RankInterval", "rank_intervals"),
    "ratio": ("paired_ratio",),
}
"""Names by the module that is imported when one of them is first asked for.

numpy, scipy and statsmodels take longer to import than most commands take to run.
"""

__all__ = [
    "Assumption",
    "Cluster",
    "CochranQ",
    "Estimate",
    "FlipRates",
    "Interval",
    "McNemar",
    "PairedDifference",
    "Power",
    "RankInterval",
    "Validation",
    "Variance",
    "aa_flip_rates",
    "area_under_risk_coverage",
    "brier",
    "clopper_pearson",
    "cluster_bootstrap",
    "clustered_interval",
    "clustered_mean",
    "clustered_wilson",
    "cochran_q",
    "cohen_kappa",
    "corrected_rate",
    "detectable_difference",
    "detectable_unpaired",
    "effective_units",
    "expected_calibration_error",
    "holm",
    "mcnemar",
    "needed_cases",
    "newcombe",
    "paired_bootstrap",
    "paired_difference",
    "paired_permutation",
    "paired_ratio",
    "pass_at_k",
    "pass_hat_k",
    "penalised_score",
    "power_of",
    "rank_intervals",
    "rms_calibration_error",
    "rogan_gladen",
    "variance_components",
    "wilson",
    "zero_events_upper",
]


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"research_eval.stats.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
