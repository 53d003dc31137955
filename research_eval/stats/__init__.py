"""Stats: numbers in, estimates with their intervals out."""

from importlib import import_module
from typing import TYPE_CHECKING

from research_eval.stats.interval import (
    Estimate,
    Interval,
    rate,
    wilson,
    zero_events_upper,
)
from research_eval.stats.passk import (
    Variance,
    mean_pass_at_k,
    mean_pass_hat_k,
    pass_at_k,
    pass_hat_k,
    variance_components,
)
from research_eval.stats.power import (
    detectable_difference,
    detectable_unpaired,
    independent_n,
    mcnemar_pairs,
    needed_cases,
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
        clustered_ratio,
        clustered_se,
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
    from research_eval.stats.exact import clopper_pearson
    from research_eval.stats.many import CochranQ, benjamini_hochberg, cochran_q, holm
    from research_eval.stats.noise import FlipRates, aa_flip_rates
    from research_eval.stats.paired import (
        McNemar,
        PairedDifference,
        mcnemar,
        paired_bootstrap,
        paired_difference,
        paired_permutation,
    )
    from research_eval.stats.rank import RankInterval, rank_intervals
    from research_eval.stats.ratio import paired_ratio
    from research_eval.stats.unpaired import newcombe

_LATER = {
    "agreement": ("Validation", "cohen_kappa", "corrected_rate", "rogan_gladen"),
    "cluster": (
        "Cluster",
        "cluster_bootstrap",
        "clustered_interval",
        "clustered_mean",
        "clustered_ratio",
        "clustered_se",
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
    "exact": ("clopper_pearson",),
    "many": ("CochranQ", "benjamini_hochberg", "cochran_q", "holm"),
    "noise": ("FlipRates", "aa_flip_rates"),
    "paired": (
        "McNemar",
        "PairedDifference",
        "mcnemar",
        "paired_bootstrap",
        "paired_difference",
        "paired_permutation",
    ),
    "rank": ("RankInterval", "rank_intervals"),
    "ratio": ("paired_ratio",),
    "unpaired": ("newcombe",),
}
"""Names by the module that is imported when one of them is first asked for.

numpy, scipy and statsmodels take longer to import than most commands take to run.
"""

__all__ = [
    "Cluster",
    "CochranQ",
    "Estimate",
    "FlipRates",
    "Interval",
    "McNemar",
    "PairedDifference",
    "RankInterval",
    "Validation",
    "Variance",
    "aa_flip_rates",
    "area_under_risk_coverage",
    "benjamini_hochberg",
    "brier",
    "clopper_pearson",
    "cluster_bootstrap",
    "clustered_interval",
    "clustered_mean",
    "clustered_ratio",
    "clustered_se",
    "clustered_wilson",
    "cochran_q",
    "cohen_kappa",
    "corrected_rate",
    "detectable_difference",
    "detectable_unpaired",
    "effective_units",
    "expected_calibration_error",
    "holm",
    "independent_n",
    "mcnemar",
    "mcnemar_pairs",
    "mean_pass_at_k",
    "mean_pass_hat_k",
    "needed_cases",
    "newcombe",
    "paired_bootstrap",
    "paired_difference",
    "paired_permutation",
    "paired_ratio",
    "pass_at_k",
    "pass_hat_k",
    "penalised_score",
    "rank_intervals",
    "rate",
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
