# The commands of the README, `make demo`, `make test` and `make site`; each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXTRAS := anthropic,bedrock,dask,google,groq,mcp,mistral,trafilatura,warc

.PHONY: demo test lint site clean

demo: $(VENV)/.installed
	$(BIN)/research-eval demo

test: $(VENV)/.developing
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not browser"

lint: $(VENV)/.developing
	.ci/run lint

site: $(VENV)/.installed
	$(BIN)/python -m pip install -q -c constraints.txt --group docs
	$(BIN)/python docs/reference.py --check
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q -U pip
	$(BIN)/python -m pip install -q -c constraints.txt -e .
	touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(BIN)/python -m pip install -q -c constraints.txt -e '.[$(EXTRAS)]' --group dev
	touch $@

clean:
	rm -rf $(VENV) dist
