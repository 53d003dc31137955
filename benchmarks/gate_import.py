"""Print what it costs to import the gate alone: CPU seconds, the least of several fresh processes.

python benchmarks/gate_import.py [PROCESSES]
"""

import subprocess
import sys

PARTS = {
    "pydantic": "import pydantic.main, pydantic.fields",
    "the gate": "from research_eval import CitationGate, SourceRegistry",
    "the gate, and a first verdict": (
        "from research_eval import CitationGate, SourceRegistry; "
        "CitationGate().check('(https://a.example/x)', SourceRegistry())"
    ),
}


def cpu_s(code: str) -> float:
    """Return the CPU seconds that `code` takes in a process of its own."""
    timed = f"import time; began = time.process_time(); {code}; print(time.process_time() - began)"
    done = subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure each part in turn, so that all meet the same load."""
    processes = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    least = {name: min(cpu_s(code) for _ in range(processes)) for name, code in PARTS.items()}
    for name, seconds in least.items():
        print(f"{name}: {seconds:.3f} s CPU")


if __name__ == "__main__":
    main()
