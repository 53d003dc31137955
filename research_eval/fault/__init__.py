"""Fault: a request that would have worked in, the failure that settings ask for out."""

from research_eval.fault.settings import IS_INJECTED, Channel, FaultKind, FaultSettings
from research_eval.fault.transport import FaultTransport
from research_eval.fault.transport2 import FaultTransport2

__all__ = [
    "IS_INJECTED",
    "Channel",
    "FaultKind",
    "FaultSettings",
    "FaultTransport",
    "FaultTransport2",
]
