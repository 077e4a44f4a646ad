# Needs Python 3.11 or newer with venv. Everything is installed into $(VENV).
#
#   make demo               index the bundled knowledge base and ask it something
#   make demo QUERY="..."   ask something else
#   make workbench          open the workbench in the browser
#   make test               run the tests, then the notebooks against their outputs
#   make notebooks          run the notebooks and write their outputs into them
#   make lint               check style, types and import rules
#   make readme             write the generated parts of all pages anew
#   make baseline           accept the figures of the bundled set as they are now
#   make gate               fail when they got worse
#   make audit              look for known vulnerabilities in what is installed
#   make soak               load, kills and many processes, for half an hour
#   make soak PARTS=load    one part of it: load, records, kills, files or folder
#   make format             apply the style
#   make constraints        pin the newest releases that pyproject.toml admits
#   make clean              remove the environment and the caches

VENV ?= .venv
QUERY ?= How is the quarterly seat true-up worked out?
# The first interpreter that runs and is new enough.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)

BIN = $(VENV)/bin
COG ?= -r
# Pages with parts that commands and types write.
GENERATED = README.md eval_sets/README.md retrieval/README.md retrieval/RANKING.md retrieval/contract/README.md \
	retrieval/knowledge/README.md retrieval/settings/README.md
# By its folder: a user's judged copy has the same name.
STARTER = eval_sets/sets/starter
BASELINE = $(STARTER)/baseline.json
GATE = $(BIN)/lookup-knowledge eval run $(STARTER) --variants l0,l1,l0+l1 --baseline $(BASELINE)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c .ci/constraints.txt

.PHONY: demo workbench test notebooks readme baseline gate audit soak lint format constraints clean
.DELETE_ON_ERROR:

demo: $(VENV)/.installed-base
	$(BIN)/lookup-knowledge index
	$(BIN)/lookup-knowledge query "$(QUERY)"

workbench: $(VENV)/.installed-all
	$(BIN)/lookup-knowledge workbench

test: $(VENV)/.installed-all
	$(BIN)/python -m pytest --cov
	$(BIN)/python -m pytest --nbval-lax --nbval-current-env notebooks

notebooks: $(VENV)/.installed-all
	$(INSTALL) nbconvert
	$(BIN)/jupyter nbconvert --to notebook --execute --inplace \
		--ExecutePreprocessor.record_timing=False notebooks/*.ipynb

readme: $(VENV)/.installed-all
	COLUMNS=80 PATH="$(abspath $(BIN)):$$PATH" $(BIN)/cog $(COG) -I . $(GENERATED)

baseline: $(VENV)/.installed-all
	$(GATE) --update-baseline

gate: $(VENV)/.installed-all
	$(GATE)

soak: $(VENV)/.installed-all
	$(BIN)/python -m tests.soak $(PARTS)

# An environment of its own: pip-audit brings packages that the pins do not know.
audit:
	@test -x $(VENV)-audit/bin/pip-audit || { $(PYTHON) -m venv $(VENV)-audit \
		&& $(VENV)-audit/bin/python -m pip install --quiet pip-audit; } || true
	@AUDIT="$(abspath $(VENV)-audit/bin/pip-audit)" .ci/audit $(AUDIT_OPTIONS)

lint: $(VENV)/.installed-all
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-all
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

constraints:
	PYTHON="$(PYTHON)" bash .ci/pin

clean:
	rm -rf $(VENV) $(VENV)-audit .coverage .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-base: pyproject.toml .ci/constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV). The first time takes a few minutes."
	$(INSTALL) -e .
	@touch $@

$(VENV)/.installed-all: pyproject.toml .ci/constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV). The first time takes a few minutes."
	$(INSTALL) -e '.[all]'
	@touch $@ $(VENV)/.installed-base
