"""Compare: two configurations of stored runs in, what differs between them and by how much out."""

from research_eval.scorer.compare.collect import Side, collect
from research_eval.scorer.compare.flip import Flip, add_answers, find_flips
from research_eval.scorer.compare.judge import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    compare_sides,
)
from research_eval.scorer.compare.junit import junit_xml
from research_eval.scorer.compare.setting import SettingDifference, setting_differences

__all__ = [
    "CompareSettings",
    "Comparison",
    "Flip",
    "MeasureComparison",
    "SettingDifference",
    "Side",
    "add_answers",
    "collect",
    "compare_sides",
    "find_flips",
    "junit_xml",
    "setting_differences",
]
