"""Print how every recorded answer of a model API in a folder is read, or refused and why.

The folder holds one folder for each API, with cassettes (`.yaml`, `.yml`), bodies (`.json`), streams
(`.txt`) and error bodies that people reported (`errors_quoted.json`). Ends with exit status 1 if an
answer is neither read nor refused with a typed error. Run:
python benchmarks/wire_model.py FOLDER
"""

import argparse
import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import httpx2
from wire_model_folder import MODEL_PATHS, Recorded, recorded_answers

from research_eval.clock import VirtualClock
from research_eval.errors import ModelError
from research_eval.model import ModelSettings, build_model
from research_eval.schema import Message, ModelReply, ToolSpec

TOOL = ToolSpec(
    name="fetch",
    description="Open a page.",
    parameters={"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
)
QUESTION = (Message(role="system", text="Answer."), Message(role="user", text="What is new?"))
KEYS = dict.fromkeys(
    (
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "ANTHROPIC_API_KEY",
        "GOOGLE_API_KEY",
        "MISTRAL_API_KEY",
        "GROQ_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
    ),
    "not-a-key-0000",
)
MODELS = {"openrouter": "some/model", "bedrock": "us.amazon.nova-micro-v1:0"}


class Outcome(NamedTuple):
    """How one answer was taken."""

    word: str
    detail: str


async def read(answer: Recorded) -> Outcome:
    """Give `answer` to a client of its provider as the reply to one question."""

    def respond(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(
            answer.status, headers=dict(answer.headers), content=answer.body, request=request
        )

    settings = ModelSettings(
        name=f"{answer.provider}:{MODELS.get(answer.provider, 'some-model')}",
        stream=answer.is_stream,
        request_retries=0,
    )
    model = build_model(
        settings,
        transport=httpx2.MockTransport(respond),
        secrets=KEYS,
        clock=VirtualClock(),
        rng=random.Random(0),
        case_seed="0",
    )
    try:
        return Outcome("read", describe(await model.reply(QUESTION, (TOOL,))))
    except ModelError as exc:
        wait = "" if exc.retry_after_s is None else f", retry after {exc.retry_after_s:g} s"
        text = str(exc)
        return Outcome(f"refused: {exc.kind}", f"{(text.partition(': ')[2] or text)[:90]}{wait}")
    except Exception as exc:  # noqa: BLE001  # this is what the script looks for
        return Outcome("UNTYPED", f"{type(exc).__name__}: {exc}"[:110])


def describe(reply: ModelReply) -> str:
    """Return what is in a reply, in a few words."""
    calls = ", ".join(call.name for call in reply.tool_calls)
    usage = reply.usage
    tokens = (
        "usage unknown"
        if usage.unmeasured_requests
        else f"{usage.input_tokens}+{usage.output_tokens}"
    )
    parts = [f"{len(reply.text)} chars", reply.finish_reason, tokens]
    return "; ".join([*parts, *([f"calls {calls}"] if calls else [])])


def main() -> int:
    """Print the table and its sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    totals: Counter[str] = Counter()
    for answer in recorded_answers(folder):
        if answer.url and not any(part in answer.url.lower() for part in MODEL_PATHS):
            outcome = Outcome("not a model call", answer.url[:90])
        else:
            outcome = asyncio.run(read(answer))
        totals[outcome.word] += 1
        print(
            f"{outcome.word:22} {answer.provider:16} {answer.status} {answer.where[:70]:70} {outcome.detail}"
        )
    print()
    for word, number in sorted(totals.items()):
        print(f"{number:5} {word}")
    return 1 if totals["UNTYPED"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
