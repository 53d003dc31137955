"""Fault: a request that would have worked in, the failure that settings ask for out."""

from research_eval.fault.settings import IS_INJECTED, Channel, FaultKind, FaultSettings
from research_eval.fault.transport import FaultTransport

__all__ = [
    "IS_INJECTED",
    "Channel",
    "FaultKind",
    "FaultSettings",
    "FaultTransport",
]
