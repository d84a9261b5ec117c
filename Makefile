# Two commands for users, the others for those who build. Each sets up what it needs in .venv, nothing global.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
ARGS ?=

# Where an environment forbids it, each of the tests' many processes would compile all of trainwatch anew.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test check bench score schemas docs format clean help debian

help:
	@echo "make demo   a simulated training job, live on the screen   (ARGS=\"--headless --for 20\")"
	@echo "make test   every test"
	@echo "make check  format, lint, types, doors between the rooms"
	@echo "make bench  the benchmarks, side by side"
	@echo "make schemas  JSON Schemas of what other programs read, into docs/schemas"
	@echo "make docs   every command, key and setting, from the code into docs/reference"
	@echo "make score  how good the alert rules are, into docs/alerts/score.md"

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "trainwatch needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	@echo "setting up $(VENV) (once, about a minute)" >&2
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --editable .
	@touch $@

$(READY): $(INSTALLED)
	@echo "adding what the tests need to $(VENV) (once, a minute or two)" >&2
	@$(PIP) install --editable '.[dev]'
	@touch $@

demo: $(INSTALLED)
	@$(BIN)/trainwatch demo $(ARGS)

# Some tests want the real thing; root on Debian can have it, others are told what they miss.
debian:
	@tests/debian.sh

# Three workers on two cores: tests on a real cluster mostly wait.
test: $(READY) debian
	$(BIN)/python -m pytest -n 3 --dist worksteal $(ARGS)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	TRAINWATCH_BENCH_SYNC_MB=200 $(BIN)/python -m benchmarks $(ARGS)

score: $(INSTALLED)
	@$(BIN)/trainwatch score --write docs/alerts/score.md $(ARGS)

schemas: $(INSTALLED)
	@$(BIN)/trainwatch schema --write docs/schemas

docs: $(INSTALLED)
	@$(BIN)/python -m tools.reference

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
