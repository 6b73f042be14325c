# Everything runs in .venv, which `make` sets up by itself. It needs Python 3.11 or later.

VENV := .venv
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python -m
PYTHON ?= python3
WORKERS ?= auto
UPGRADE ?=
MUNTIN_STEPS ?= 1000000
MUNTIN_SEED ?=

export MUNTIN_PROFILE ?= ci
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONPATH :=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check proofs claims bench fuzz soak lock clean

help: ## show this
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' Makefile

run: $(READY) ## replay a real stream through the specification and every implementation
	$(VENV)/bin/muntin demo

test: check ## run the whole test suite (MUNTIN_PROFILE=ci by default, or dev, or nightly)
	$(RUN) pytest -n $(WORKERS)

check: $(READY) ## lint and check types
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) pyright

proofs: $(READY) ## run what is proved, exhausted and confirmed, and count the claims by level
	$(RUN) pytest -n $(WORKERS) tests/proofs
	$(VENV)/bin/python proofs/claims.py

claims: $(READY) ## write docs/invariants.md and the table in README.md from proofs/CLAIMS
	$(VENV)/bin/python proofs/claims.py --write

bench: $(READY) ## measure structures, operators and kernels, and write the pages (some twenty minutes)
	$(VENV)/bin/python benchmarks/structures.py
	$(VENV)/bin/python benchmarks/slicing.py
	$(VENV)/bin/python benchmarks/kernels.py
	$(VENV)/bin/python benchmarks/columns.py

fuzz: $(READY) ## hold every operator against the specification on random traces (MUNTIN_STEPS, MUNTIN_SEED)
	$(VENV)/bin/muntin fuzz --steps $(MUNTIN_STEPS) $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED))

soak: $(READY) ## let ten million events, in order and out of order, through twenty queries (half an hour)
	PYTHONPATH=tests $(VENV)/bin/python tests/stress/soak.py

lock: ## pin every dependency anew in requirements.lock (UPGRADE=--upgrade for newer versions)
	@$(find_python); folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; set -e; \
	"$$python" -m venv "$$folder"; \
	"$$folder/bin/python" -m pip install --quiet --constraint requirements.lock uv; \
	"$$folder/bin/python" -m uv pip compile --quiet --universal --python-version 3.11 \
	    --all-extras --group dev --group tools --group compare --no-header --no-emit-index-url --no-emit-find-links \
	    $(UPGRADE) --output-file requirements.lock pyproject.toml

clean: ## remove the environment and whatever can be made again
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .crosshair .kernels
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml requirements.lock
	@$(find_python); set -ex; \
	"$$python" -m venv --clear $(VENV); \
	$(RUN) pip install --quiet --constraint requirements.lock pip; \
	$(RUN) pip install --quiet --constraint requirements.lock \
	    --build-constraint requirements.lock --editable . --group dev
	@touch $@

define find_python
for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
    python=; \
done; \
if [ -z "$$python" ]; then \
    echo "muntin needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
        "Install one, or name it: make PYTHON=/path/to/python3" >&2; \
    exit 1; \
fi
endef
