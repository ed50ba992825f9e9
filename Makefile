# duplexkit: `make compile` and `make test` are all that a fresh clone needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help compile test test-all check lint docs clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

compile: $(STAMP) ## compile the quickstart corpus to build/quickstart
	$(BIN)/duplexkit compile corpora/scenes/quickstart -o build/quickstart

test: $(STAMP) ## run the default test suite
	$(BIN)/python -Im pytest -q -n 2 -m "not slow"

test-all: $(STAMP) ## run all tests, the slow ones too
	$(BIN)/python -Im pytest -q -n 2

lint: $(STAMP) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMP) ## regenerate the schemas and docs/diagnostics.md
	$(BIN)/python tools/regenerate.py

clean: ## remove what was built, keep the environment
	rm -rf build dist
