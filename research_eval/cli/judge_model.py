"""A model as the judge of stored answers: asked once for each question, its replies kept on cassettes."""

import asyncio
import hashlib
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from research_eval.errors import ConfigError, ScoringError

if TYPE_CHECKING:
    from research_eval.clock import Clock
    from research_eval.journal import RunFolder
    from research_eval.model import ModelSettings
    from research_eval.schema import ModelReply, TrialKey
    from research_eval.scorer.judge import JudgeScorer

__all__ = ["JudgeOptions", "Replies", "ask_judge", "judge_settings"]

TOGETHER = 256
"""Questions that are put to the judge before more are read from the journal."""


@dataclass(frozen=True)
class JudgeOptions:
    """How a judge is asked."""

    model: "ModelSettings"
    mode: Literal["replay", "record", "live"]
    cassettes: Path
    concurrency: int


def judge_settings(name: str, overrides: Iterable[str]) -> "ModelSettings":
    """Return the settings of the judge; each override is `key=value`, the value as in TOML.

    Raises:
        ConfigError: If there is no such setting, or the model cannot judge.
    """
    import tomllib

    from pydantic import ValidationError

    from research_eval.model import ModelSettings

    values: dict[str, object] = {"name": name, "temperature": 0.0}
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--judge-set {override!r}: expected key=value")
        try:
            values[key.strip()] = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):
            values[key.strip()] = text.strip()
    try:
        settings = ModelSettings.model_validate(values)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"--judge-set: {place}: {first['msg']}") from exc
    if settings.is_reference_agent:
        raise ConfigError(f"--judge-model {name!r}: a reference agent cannot judge")
    return settings


class Replies:
    """What the judge said, by the digest of what it was asked."""

    def __init__(self) -> None:
        self._known: dict[bytes, str | ScoringError] = {}
        self.missed = 0
        """Questions that a replay found no recording of."""

    def __call__(self, prompt: str) -> str:
        """Return the reply to a question that was asked.

        Raises:
            ScoringError: If there is none.
        """
        found = self._known[_digest(prompt).digest()]
        if isinstance(found, ScoringError):
            raise found
        return found

    def keep(self, prompt: str, reply: "str | ScoringError") -> None:
        """Keep a reply, or why there is none."""
        self._known[_digest(prompt).digest()] = reply

    def fresh(self, prompts: Iterable[str]) -> Iterator[str]:
        """Yield each question that was not asked yet, once."""
        seen = set(self._known)
        for prompt in prompts:
            digest = _digest(prompt).digest()
            if digest not in seen:
                seen.add(digest)
                yield prompt


def _digest(prompt: str) -> "hashlib._Hash":
    return hashlib.sha256(prompt.encode(errors="replace"))


def ask_judge(folder: "RunFolder", options: JudgeOptions) -> "tuple[JudgeScorer, Replies]":
    """Ask the judge everything that a run gives rise to; return a scorer that knows the replies.

    Raises:
        UsageError: If a key is missing, there is no such model, or the run cannot be read.
    """
    from research_eval.scorer.judge import JudgeScorer

    replies = Replies()
    scorer = JudgeScorer(replies, model=options.model.name)
    prompts = (p for trial in folder.trials() for p in scorer.prompts(trial, folder.page))
    asyncio.run(_ask_all(prompts, replies, options))
    return scorer, replies


async def _ask_all(prompts: Iterable[str], replies: Replies, options: JudgeOptions) -> None:
    bench = _Bench(options)
    try:
        while batch := list(islice(prompts, TOGETHER)):
            await asyncio.gather(*(bench.ask(p, replies) for p in replies.fresh(batch)))
    finally:
        await bench.aclose()


class _Bench:
    """What all questions to the judge share."""

    def __init__(self, options: JudgeOptions) -> None:
        import httpx2

        from research_eval.cassette import ModelCassettes, Redactor
        from research_eval.clock import SystemClock
        from research_eval.model import LimiterPool
        from research_eval.secret import PlaceholderSecrets, known_secrets, read_secrets

        self._options = options
        self._redactor: Redactor = Redactor(known_secrets())
        self._clock: Clock = SystemClock()
        is_replay = options.mode == "replay"
        self._secrets = PlaceholderSecrets() if is_replay else read_secrets()
        self._limiters: LimiterPool | None = None if is_replay else LimiterPool(self._clock)
        self._network: httpx2.AsyncBaseTransport | None = (
            None if is_replay else httpx2.AsyncHTTPTransport()
        )
        self._turns = asyncio.Semaphore(options.concurrency)
        self._cassette: ModelCassettes = ModelCassettes(
            options.cassettes,
            mode=options.mode,
            redactor=self._redactor,
            record_command="research-eval score --judge-mode record",
        )

    async def aclose(self) -> None:
        """Close the connections and the cassettes."""
        if self._network is not None:
            await self._network.aclose()
        self._cassette.close()

    async def ask(self, prompt: str, replies: Replies) -> None:
        """Put one question; a reply that is none is kept as the reason why."""
        from research_eval.cassette.exchange import trial_name
        from research_eval.errors import CassetteMissError, ModelError

        async with self._turns:
            try:
                replies.keep(prompt, _words(await self._reply(prompt)))
            except ModelError as exc:
                reason = self._redactor.text(f"judge: no reply: {exc}")
                replies.keep(prompt, ScoringError(reason))
                if self._options.mode == "record":  # so that it is asked again the next time
                    self._cassette.store.remove(trial_name(_key(prompt)))
            except ScoringError as exc:
                replies.keep(prompt, exc)
            except CassetteMissError:
                replies.missed += 1
                replies.keep(prompt, ScoringError("judge: no recorded reply"))

    async def _reply(self, prompt: str) -> "ModelReply":
        from research_eval.model import build_model
        from research_eval.schema import Message

        key = _key(prompt)
        session = self._cassette.session(key, self._clock)
        try:
            model = build_model(
                self._options.model,
                transport=session.transport(self._network),
                secrets=self._secrets,
                clock=self._clock,
                rng=random.Random(key.case_id),
                case_seed=key.case_id,
                limiter=self._limiters.get(self._options.model) if self._limiters else None,
            )
            return await model.reply([Message(role="user", text=prompt)], [])
        finally:
            session.close()


def _key(prompt: str) -> "TrialKey":
    """Return the name under which a question is recorded: the same question, the same recording."""
    from research_eval.schema import TrialKey

    return TrialKey(_digest(prompt).hexdigest()[:24], "judge", 1)


def _words(reply: "ModelReply") -> str:
    """Return the text of a reply that came to its end.

    Raises:
        ScoringError: If the judge was cut off, declined or filtered, which is no verdict.
    """
    if reply.finish_reason not in {"stop", "tool_calls"}:
        raise ScoringError(f"judge: no verdict: the reply ended with {reply.finish_reason!r}")
    return reply.text
