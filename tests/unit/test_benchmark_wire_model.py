"""The script that reads recorded model traffic knows the forms in which it is kept."""

import json
import subprocess
import sys
from pathlib import Path

from tests.unit.wire_lab import chat

ROOT = Path(__file__).resolve().parents[2]
URL = "https://api.openai.com/v1/chat/completions"
STREAM = 'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def test_every_form_is_read_and_a_failure_is_typed(tmp_path):
    folder = tmp_path / "openai_chat"
    folder.mkdir()
    body = json.dumps(chat())
    request = {"method": "POST", "uri": URL}
    cassettes = {
        "vcrpy.yaml": {
            "interactions": [
                {
                    "request": request,
                    "response": {"status": {"code": 200}, "body": {"string": body}},
                }
            ]
        },
        "parsed.yaml": {
            "interactions": [
                {"request": request, "response": {"status": {"code": 200}, "parsed_body": chat()}}
            ]
        },
        "go.yaml": {
            "interactions": [
                {"request": {"method": "POST", "url": URL}, "response": {"code": 200, "body": body}}
            ]
        },
        "ruby.yml": {
            "http_interactions": [
                {
                    "request": request,
                    "response": {"status": {"code": 200}, "body": {"string": body}},
                }
            ]
        },
        "files.yaml": {
            "interactions": [
                {
                    "request": {"uri": "https://api.openai.com/v1/files"},
                    "response": {"status": {"code": 200}, "body": {"string": "{}"}},
                }
            ]
        },
    }
    for name, cassette in cassettes.items():
        (folder / name).write_text(json.dumps(cassette), encoding="utf-8")
    (folder / "plain.json").write_text(body, encoding="utf-8")
    (folder / "error.json").write_text(
        '{"error": {"message": "no", "code": 429}}', encoding="utf-8"
    )
    (folder / "stream.txt").write_text(STREAM, encoding="utf-8")
    cases = {"cases": [{"status": 503, "body": {"error": {"message": "busy"}}}]}
    (folder / "errors_quoted.json").write_text(json.dumps(cases), encoding="utf-8")

    command = [sys.executable, str(ROOT / "benchmarks/wire_model.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    totals = {
        line.split(maxsplit=1)[1]: int(line.split()[0]) for line in done.stdout.splitlines()[-4:]
    }
    assert done.returncode == 0, done.stderr
    assert totals == {
        "read": 6,
        "refused: rate_limited": 1,
        "refused: overloaded": 1,
        "not a model call": 1,
    }
