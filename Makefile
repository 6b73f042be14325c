# Everything runs in .venv, which `make` sets up by itself. It needs Python 3.11 or later.

VENV := .venv
READY := $(VENV)/.ready
RUN := $(VENV)/bin/python -m
PYTHON ?= python3
WORKERS ?= auto
UPGRADE ?=
MUNTIN_STEPS ?= 1000000
MUNTIN_SEED ?=
MUNTIN_MINUTES ?= 120
MUNTIN_ONLY ?=
ENGINES := duckdb pandas polars
MORE_ENGINES := beam bytewax chdb datafusion pathway quix

export MUNTIN_PROFILE ?= ci
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONPATH :=
unexport PYTHONDONTWRITEBYTECODE # hundreds of Pythons are started: each would compile all modules

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test check mypy pyright proofs proofs-nightly coq lockstep mutants claims bench site explorer browser fuzz soak soak-columns faults-nightly diff-nightly diff-billion engines matrix lock clean

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

run: $(READY) ## compare implementations on a million rows and the flights, on Spark: a table, a report
	$(VENV)/bin/muntin diff --rows 1e6 --flights --seed 1 --out build/diff

test: check $(ENGINES:%=engines/%/.venv/.ready) ## run the whole test suite (MUNTIN_PROFILE=ci by default, or dev, or nightly)
	$(RUN) pytest -n $(WORKERS) --dist loadgroup

check: $(READY) ## lint and check types
	$(RUN) ruff check
	$(RUN) ruff format --check
	MAKEFLAGS= $(MAKE) --no-print-directory --jobs 2 mypy pyright

mypy pyright: $(READY) # each has one core
	$(RUN) $@

proofs: $(READY) ## run the proofs, exhaustive walks and contracts, and count the claims by level; Coq, if it is there
	MUNTIN_BUDGET=proofs $(RUN) pytest -n $(WORKERS) tests/proofs
	$(VENV)/bin/python proofs/claims.py
	PYTHONPATH=proofs $(RUN) coq.gate

proofs-nightly: $(READY) ## the same with the large scopes (hours; resumes after a stop; MUNTIN_ONLY)
	$(VENV)/bin/python proofs/nightly.py $(WORKERS) $(if $(MUNTIN_ONLY),-k "$(MUNTIN_ONLY)")

coq: ## check the theorems for every size, which docs/proved.md lists (needs Coq: apt-get install coq)
	@command -v coqc > /dev/null || { echo "make coq: Coq is not installed, so nothing was checked." \
	    "Install it (apt-get install coq), version 8.16 or later" >&2; exit 1; }
	$(MAKE) --no-print-directory -C proofs/coq check

lockstep: coq $(READY) ## run structures beside their proved models, a million states (needs OCaml: ocaml-findlib)
	$(MAKE) --no-print-directory -C proofs/lockstep model
	PYTHONPATH=proofs $(RUN) lockstep.run --states $(MUNTIN_STEPS) --seed $(or $(MUNTIN_SEED),1)
	PYTHONPATH=proofs $(RUN) lockstep.sensitivity

mutants: $(READY) ## run all mutants, and print those that no test kills (MUNTIN_MINUTES, MUNTIN_ONLY)
	PYTHONPATH=proofs $(VENV)/bin/python proofs/mutants/survivors.py \
	    --minutes $(MUNTIN_MINUTES) --only "$(MUNTIN_ONLY)"

claims: $(READY) ## write docs/invariants.md and the table in proofs/README.md from proofs/CLAIMS
	$(VENV)/bin/python proofs/claims.py --write

bench: $(READY) ## measure structures, operators and kernels, and write the pages (more than half an hour)
	$(VENV)/bin/python benchmarks/structures.py
	$(VENV)/bin/python benchmarks/slicing.py
	$(VENV)/bin/python benchmarks/kernels.py
	$(VENV)/bin/python benchmarks/spark.py
	$(VENV)/bin/python benchmarks/columns.py

site: $(READY) ## build the documentation in build/site, offline, with every picture computed
	PYTHONPATH=website $(RUN) builder

explorer: $(READY) ## build the explorer in build/site/explorer (needs npm, and the network for the first time)
	PYTHONPATH=website $(RUN) explorer_bundle

browser: $(READY) ## test the explorer in Chromium (needs chromium and npm: apt-get install chromium npm)
	$(RUN) pip install --quiet --constraint requirements.lock --group browser
	PYTHONPATH=website $(RUN) pytest -p no:xdist browser

fuzz: $(READY) ## compare every operator with the specification on random traces (MUNTIN_STEPS, MUNTIN_SEED)
	$(VENV)/bin/muntin fuzz --steps $(MUNTIN_STEPS) $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED))

soak: $(READY) ## run ten million events, in order and out of order, through twenty queries (half an hour)
	PYTHONPATH=tests $(VENV)/bin/python tests/stress/soak.py

soak-columns: $(READY) ## run a billion events over columns, four times (some minutes)
	PYTHONPATH=tests $(VENV)/bin/python tests/stress/soak_columns.py

faults-nightly: $(READY) ## kill drivers, workers and executors of streams on Spark 500 times (hours; MUNTIN_SEED: resumes after a stop)
	PYTHONPATH=tests $(VENV)/bin/python tests/spark_support/faults/harness.py --kills 500 \
	    $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED) --journal build/faults-$(MUNTIN_SEED).jsonl)

diff-nightly: $(READY) ## like make run, with a hundred million rows and Spark's streams (hours)
	$(VENV)/bin/muntin diff --rows 1e8 --streaming --out build/diff-nightly \
	    --against spec=25%,scotty-eager,kernels,spark-native \
	    $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED) --journal build/diff-nightly/journal.jsonl)

diff-billion: $(READY) ## compare muntin.spark, tables and Spark's windows on a billion rows (resumes after a stop)
	$(VENV)/bin/muntin diff --whole --rows 1e9 --keys 1e6 --seed 9 --out build/diff-billion \
	    --journal build/diff-billion/journal.jsonl

engines: $(READY) $(ENGINES:%=engines/%/.venv/.ready) $(MORE_ENGINES:%=engines/%/.venv/.ready) ## hold other engines to the specification (MUNTIN_SEED)
	for engine in $(ENGINES) $(MORE_ENGINES); do \
	    $(VENV)/bin/muntin verify $$engine --traces 1200 $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED)) || exit; done

matrix: $(READY) $(ENGINES:%=engines/%/.venv/.ready) $(MORE_ENGINES:%=engines/%/.venv/.ready) ## write what the windows of other engines are, in build/matrix (MUNTIN_SEED)
	$(VENV)/bin/muntin matrix $(ENGINES) $(MORE_ENGINES) --out build/matrix $(if $(MUNTIN_SEED),--seed $(MUNTIN_SEED))

lock: ## pin every dependency in requirements.lock (UPGRADE=--upgrade for newer versions)
	@$(find_python); folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; set -e; \
	"$$python" -m venv "$$folder"; \
	"$$folder/bin/python" -m pip install --quiet --constraint requirements.lock uv; \
	"$$folder/bin/python" -m uv pip compile --quiet --universal --python-version 3.11 \
	    --all-extras --group dev --group tools --group browser --no-header --no-emit-index-url --no-emit-find-links \
	    $(UPGRADE) --output-file requirements.lock pyproject.toml; \
	for engine in $(ENGINES) $(MORE_ENGINES); do \
	    (cd engines/$$engine && "$$folder/bin/python" -m uv pip compile --quiet --universal --python-version 3.11 \
	        --no-header --no-emit-index-url --no-emit-find-links $(UPGRADE) --output-file requirements.lock requirements.in); done

clean: ## remove the environment and all generated files
	$(MAKE) --no-print-directory -C proofs/coq clean
	rm -rf $(VENV) engines/*/.venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .crosshair .kernels
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml requirements.lock
	@$(find_python); set -ex; \
	"$$python" -m venv --clear $(VENV); \
	$(RUN) pip install --quiet --constraint requirements.lock pip; \
	$(RUN) pip install --quiet --constraint requirements.lock \
	    --build-constraint requirements.lock --editable . --group dev
	@touch $@

engines/%/.venv/.ready: engines/%/requirements.lock
	@$(find_python); set -ex; \
	"$$python" -m venv --clear $(@D); \
	$(@D)/bin/python -m pip install --quiet --requirement $<
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
