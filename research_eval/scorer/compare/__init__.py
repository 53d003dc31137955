"""Compare: two configurations of stored runs in, what differs between them and by how much out."""

from research_eval.scorer.compare.absent import Absent, find_absent
from research_eval.scorer.compare.collect import Plan, Side, collect
from research_eval.scorer.compare.flip import Flip, add_answers, find_flips
from research_eval.scorer.compare.judge import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    compare_sides,
)
from research_eval.scorer.compare.junit import junit_xml
from research_eval.scorer.compare.lost import Lost
from research_eval.scorer.compare.resilience import Resilience, clean_twins, resilience
from research_eval.scorer.compare.setting import SettingDifference, setting_differences
from research_eval.scorer.compare.standing import Standing
from research_eval.scorer.compare.unpaired import UnpairedComparison, unpaired

__all__ = [
    "Absent",
    "CompareSettings",
    "Comparison",
    "Flip",
    "Lost",
    "MeasureComparison",
    "Plan",
    "Resilience",
    "SettingDifference",
    "Side",
    "Standing",
    "UnpairedComparison",
    "add_answers",
    "clean_twins",
    "collect",
    "compare_sides",
    "find_absent",
    "find_flips",
    "junit_xml",
    "resilience",
    "setting_differences",
    "unpaired",
]
