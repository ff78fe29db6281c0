# Every target does its own set-up: a virtual environment in .venv with the versions of
# requirements/.  A machine needs Python 3.11 or newer with venv, and make.  'make test' as root
# also installs Chromium with apt-get where there is none, for one test; nothing else touches the
# system.  The second run of a target finds the set-up done.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
# No byte-compiling of what is never imported (a third of the time), no resolver: the
# lock files are complete.  What is imported must be kept compiled, whatever the environment
# says: importing Beam anew takes 6 s of processor time instead of 1.6.
unexport PYTHONDONTWRITEBYTECODE
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-deps --no-compile
# More than cores: tests wait for engines and processes of their own half of the time.
WORKERS ?= 4

.PHONY: help demo fetch fetch-models consumers test-consumers compiled test test-models check bench prism test-dataflow format lock clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.core  ## install the core, build the demo dataset into demo/ and show one item
	$(BIN)/surgqa demo --out demo

fetch: $(VENV)/.dev  ## get all that the tests can use besides packages of the lock files
	if command -v go > /dev/null; then $(MAKE) prism; fi
	if command -v java mvn > /dev/null; then $(MAKE) flink-fetch; fi
	$(MAKE) build/gcp/.done
	.ci/chromium

fetch-models: build/models/.done  ## get PyTorch and what its tests need

consumers: build/consumers/.done  ## get evaluation packages that the nightly tests open exports with

# Beside the environment: they bring 240 MB that nothing else needs.
build/consumers/.done: requirements/consumers.txt $(VENV)/.dev
	rm -rf build/consumers
	$(PIP) --target build/consumers -r requirements/consumers.txt
	@touch $@

test-consumers: consumers build/models/.done  ## run the tests that open exports with these packages and PyTorch
	SURGQA_LONG=1 PYTHONPATH=$(CURDIR)/build/models:$(CURDIR)/build/consumers $(BIN)/python -m pytest tests/pipeline/test_evaluation_tasks.py tests/transforms/exports/test_marked.py $(ARGS)

compiled: $(VENV)/.dev  ## compile the tests, which else every process of 'make test' does for itself
	-$(BIN)/python -m pytest --collect-only -qq > /dev/null

test: $(VENV)/.dev  ## run the tests on $(WORKERS) processes (as root: installs Chromium)
	.ci/chromium
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-dataflow: $(VENV)/.dev build/gcp/.done  ## run the tests of submitting to Dataflow
	PYTHONPATH=build/gcp $(BIN)/python -m pytest tests/engines/test_dataflow.py $(ARGS)

# Beside the environment, not in it: importing Beam with Google's packages takes three times
# as long, and nothing else needs them.
build/gcp/.done: requirements/gcp.txt $(VENV)/.venv
	$(PIP) --target build/gcp -r requirements/gcp.txt
	@touch $@

test-models: $(VENV)/.dev build/models/.done  ## run the tests that need PyTorch (4 GB of packages)
	PYTHONPATH=$(CURDIR)/build/models OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m torch $(ARGS)

# Beside the environment as well: 'make demo' and 'make test' must not bring PyTorch.  Three
# packages come as sources; sam2 would otherwise ask for a CUDA compiler to build an
# extension that it also runs without.
build/models/.done: requirements/models.txt requirements/models-cuda.txt requirements/compare.txt $(VENV)/.dev
	rm -rf build/models
	mkdir -p build/models
	$(PIP) setuptools==84.2.1
	grep -vxFf requirements/dev.txt requirements/models.txt > build/models/models.txt
	SAM2_BUILD_CUDA=0 $(PIP) --use-pep517 --no-build-isolation --target build/models \
	  -r build/models/models.txt -r requirements/models-cuda.txt -r requirements/compare.txt
	@touch $@

check: $(VENV)/.dev  ## format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/surgqa lint

bench: $(VENV)/.dev build/core/.done  ## measure the targets of docs/ against a plain script
	SURGQA_BENCH_PYTHON=$(CURDIR)/build/core/bin/python $(BIN)/python -m benchmarks $(ARGS)

# What users install and nothing else: Beam also imports what only the tests need.
build/core/.done: requirements/core.txt
	$(PYTHON) -m venv build/core
	build/core/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -r requirements/core.txt
	@touch $@

include deploy/flink/flink.mk

prism: build/prism/prism  ## build Prism, Beam's portable engine, from its pinned Go module

build/prism/prism: deploy/prism/go.mod deploy/prism/go.sum
	@command -v go >/dev/null || { echo "error: building Prism needs Go 1.21 or newer" >&2; exit 3; }
	mkdir -p $(@D)
	cd deploy/prism && go build -mod=readonly -o ../../$@ github.com/apache/beam/sdks/v2/go/cmd/prism

format: $(VENV)/.dev  ## rewrite the code in the house format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock:  ## resolve the dependencies anew and write requirements/*.txt
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip --disable-pip-version-check --quiet install .
	build/lock/bin/pip --disable-pip-version-check freeze --exclude surgqa > requirements/core.txt
	build/lock/bin/pip --disable-pip-version-check --quiet install ".[dev]" -c requirements/core.txt
	build/lock/bin/pip --disable-pip-version-check freeze --exclude surgqa > requirements/dev.txt
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/pip --disable-pip-version-check --quiet install ".[gcp]" -c requirements/dev.txt
	(echo "# What the extra 'gcp' adds to core.txt; no package is in both."; \
	  build/lock/bin/pip --disable-pip-version-check freeze --exclude surgqa | \
	  grep -vxFf requirements/core.txt) > requirements/gcp.txt
	rm -rf build/lock

clean:  ## remove the environment and everything made by the targets
	rm -rf $(VENV) build dist demo out .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "error: Python 3.11 or newer is needed; name one with 'make PYTHON=...'" >&2; exit 3; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || \
	  { echo "error: $(PYTHON) has no venv; install python3-venv, or name another with 'make PYTHON=...'" >&2; exit 3; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.core: $(VENV)/.venv requirements/core.txt pyproject.toml
	$(PIP) -r requirements/core.txt
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core requirements/dev.txt
	$(PIP) -r requirements/dev.txt
	@touch $@
