"""Search: a query in, hits and who served them out."""

from research_eval.tool.search.build import (
    WIRES,
    ProviderSettings,
    SearchSettings,
    build_search,
    chain_scope,
    check_chain,
    corpus_transport,
    has_corpus,
    missing_secrets,
    needs_key,
    recording_notes,
    retired_notes,
    search_addresses,
)
from research_eval.tool.search.fallback import FallbackSearchProvider
from research_eval.tool.search.limiter import TokenBucket
from research_eval.tool.search.listed import ListedWire, ListShape
from research_eval.tool.search.outage import SearchOutageError, SearchOutages
from research_eval.tool.search.protocol import (
    SearchError,
    SearchErrorKind,
    SearchProvider,
    SearchReply,
)
from research_eval.tool.search.remote import RemoteSearchProvider
from research_eval.tool.search.resilience import ResilienceSettings
from research_eval.tool.search.resilient import ResilientSearchProvider
from research_eval.tool.search.tool import WebSearchTool
from research_eval.tool.search.unconfigured import UnconfiguredSearchProvider
from research_eval.tool.search.wire import (
    ProviderDetails,
    WireAnswer,
    WireFormat,
    WireRequest,
    read_answer,
)

__all__ = [
    "WIRES",
    "FallbackSearchProvider",
    "ListShape",
    "ListedWire",
    "ProviderDetails",
    "ProviderSettings",
    "RemoteSearchProvider",
    "ResilienceSettings",
    "ResilientSearchProvider",
    "SearchError",
    "SearchErrorKind",
    "SearchOutageError",
    "SearchOutages",
    "SearchProvider",
    "SearchReply",
    "SearchSettings",
    "TokenBucket",
    "UnconfiguredSearchProvider",
    "WebSearchTool",
    "WireAnswer",
    "WireFormat",
    "WireRequest",
    "build_search",
    "chain_scope",
    "check_chain",
    "corpus_transport",
    "has_corpus",
    "missing_secrets",
    "needs_key",
    "read_answer",
    "recording_notes",
    "retired_notes",
    "search_addresses",
]
