"""Replies of model APIs in the shapes that the providers send, and a client that gets them."""

import json
import random

import httpx2

from research_eval.clock import VirtualClock
from research_eval.model import ModelSettings, build_model
from research_eval.schema import Message, ToolSpec

FETCH = ToolSpec(
    name="fetch",
    description="Open a page.",
    parameters={
        "type": "object",
        "properties": {"url": {"type": "string"}},
        "required": ["url"],
        "additionalProperties": False,
    },
)
QUESTION = (
    Message(role="system", text="Cite what you open."),
    Message(role="user", text="When did the port open?"),
)
KEY = "key-of-nobody-123456"
NAMES = {
    "openai": "openai:gpt-test",
    "openai-responses": "openai-responses:gpt-test",
    "openrouter": "openrouter:maker/model",
    "ollama": "ollama:llama-test",
    "anthropic": "anthropic:claude-test",
    "google": "google:gemini-test",
    "mistral": "mistral:mistral-test",
    "groq": "groq:llama-test",
    "bedrock": "bedrock:us.amazon.nova-micro-v1:0",
}
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
    KEY,
)
ARGUMENTS = {"url": "https://port.example/"}


class Server:
    """Gives the answers in order, the last one for ever, and keeps the requests."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = list(answers)

    def __call__(self, request):
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, BaseException):
            raise answer
        status, body, *headers = answer if isinstance(answer, tuple) else (200, answer)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"content-type": "application/json"} | (headers[0] if headers else {})
        return httpx2.Response(status, headers=given, content=content, request=request)

    def sent(self, number=-1):
        """Return the JSON body of a request."""
        return json.loads(self.requests[number].content)


def client(provider, *answers, clock=None, limiter=None, secrets=KEYS, **settings):
    """Return a model of `provider` and the server that it talks to."""
    server = Server(*answers)
    settings = {"request_retries": 0} | settings
    model = build_model(
        ModelSettings(name=NAMES[provider], **settings),
        transport=httpx2.MockTransport(server),
        secrets=secrets,
        clock=clock or VirtualClock(),
        rng=random.Random(1),
        case_seed="case/1",
        limiter=limiter,
    )
    return model, server


def chat(message=None, *, finish="stop", usage=True, **more):
    """Return a chat completion."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt-test-2026",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": "In 1907."} | (message or {}),
            }
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 21, "completion_tokens": 8, "total_tokens": 29}
    return body | more


def chat_call(arguments=None, *, call_id="call_a", name="fetch"):
    """Return one tool call of a chat completion."""
    text = json.dumps(ARGUMENTS) if arguments is None else arguments
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


def messages(*content, stop="end_turn", **usage):
    """Return a reply of Anthropic's."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test-2026",
        "content": list(content),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 21, "output_tokens": 8} | usage,
    }


def candidates(*parts, finish="STOP", **usage):
    """Return a reply of Gemini's."""
    content = {"role": "model"} | ({"parts": list(parts)} if parts else {})
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": {"promptTokenCount": 21, "candidatesTokenCount": 8, "totalTokenCount": 29}
        | usage,
        "modelVersion": "gemini-test-2026",
        "responseId": "r1",
    }


def response(*output, status="completed", **more):
    """Return a reply of the responses API."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "model": "gpt-test-2026",
        "status": status,
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 21,
            "input_tokens_details": {"cached_tokens": 5},
            "output_tokens": 8,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 29,
        },
    } | more


def said(text="In 1907.", kind="output_text"):
    """Return a message of the responses API."""
    part = {"type": kind, "text": text, "annotations": []}
    if kind == "refusal":
        part = {"type": kind, "refusal": text}
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def converse(*content, stop="end_turn"):
    """Return a reply of Bedrock's Converse API."""
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop,
        "usage": {"inputTokens": 21, "outputTokens": 8, "totalTokens": 29},
        "metrics": {"latencyMs": 10},
    }


TEXT_REPLIES = {
    "openai": chat(),
    "openai-responses": response(said()),
    "openrouter": chat(provider="Maker", usage=False)
    | {
        "usage": {
            "prompt_tokens": 21,
            "completion_tokens": 8,
            "total_tokens": 29,
            "cost": 0.00042,
        }
    },
    "ollama": chat(),
    "anthropic": messages({"type": "text", "text": "In 1907."}),
    "google": candidates({"text": "In 1907."}),
    "mistral": chat(),
    "groq": chat(),
    "bedrock": converse({"text": "In 1907."}),
}
CALL_REPLIES = {
    "openai": chat({"content": None, "tool_calls": [chat_call()]}, finish="tool_calls"),
    "openai-responses": response(
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "call_a",
            "name": "fetch",
            "arguments": json.dumps(ARGUMENTS),
            "status": "completed",
        }
    ),
    "openrouter": chat(
        {"content": None, "tool_calls": [chat_call()]}, finish="tool_calls", provider="Maker"
    ),
    "ollama": chat({"content": "", "tool_calls": [chat_call()]}, finish="tool_calls"),
    "anthropic": messages(
        {"type": "tool_use", "id": "call_a", "name": "fetch", "input": ARGUMENTS}, stop="tool_use"
    ),
    "google": candidates({"functionCall": {"id": "call_a", "name": "fetch", "args": ARGUMENTS}}),
    "mistral": chat(
        {
            "content": "",
            "tool_calls": [
                {"id": "call_a", "function": {"name": "fetch", "arguments": json.dumps(ARGUMENTS)}}
            ],
        },
        finish="tool_calls",
    ),
    "groq": chat({"content": None, "tool_calls": [chat_call()]}, finish="tool_calls"),
    "bedrock": converse(
        {"toolUse": {"toolUseId": "call_a", "name": "fetch", "input": ARGUMENTS}}, stop="tool_use"
    ),
}
