# The commands of the repository. All but `clean` make what they need in .venv first; a second run is quick.
#   make demo     install Shoal and show a release of the sample
#   make test     all tests                      (ARGS="-k docs" for pytest)
#   make check    format, lint, types, rooms
#   make bench    the benchmarks                 (SHOAL_DATA=FOLDER for real tables, ARGS="…")
#   make docs     the documentation as HTML, in site/
#   make clean    remove what the commands made

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -qq -c constraints.txt
JOBS   ?= 2
ARGS   ?=

# Stamps, so that a repeated run installs nothing. Shoal is installed editable: a changed source needs no new install.
MADE    := $(VENV)/.stamp-made
PACKAGE := $(VENV)/.stamp-package
DEV     := $(VENV)/.stamp-dev

.DEFAULT_GOAL := help
.PHONY: help demo test check bench docs clean
.DELETE_ON_ERROR:

help:
	@sed -n '/^#   make/s/^#   //p' Makefile

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Shoal needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(PACKAGE): $(MADE) pyproject.toml constraints.txt
	@echo "Installing Shoal in $(VENV); the first time takes a minute or two …"
	@$(PIP) --editable .
	@touch $@

$(DEV): $(MADE) pyproject.toml constraints.txt
	@echo "Installing Shoal and what its tests, checks and documentation need in $(VENV); the first time takes a few minutes …"
	@$(PIP) --editable '.[dev]'
	@touch $(PACKAGE) $@

demo: $(PACKAGE)
	@$(BIN)/shoal demo $(ARGS)

test: $(DEV)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

check: $(DEV)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(DEV)
	$(BIN)/python -m benchmarks $(if $(SHOAL_DATA),--data "$(SHOAL_DATA)") $(ARGS)

docs: $(DEV)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html; for its search: $(PYTHON) -m http.server --directory site"

clean:
	rm -rf $(VENV) build dist site .benchmarks .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
