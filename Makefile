# `make help` lists what can be done here. Everything it installs lies in .venv, except a JDK on Debian.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
PACKAGES := $(VENV)/.packages
FRESH := $(VENV)/fresh
PROMPTFOO := 0.121.20
LIBSQL := 0.5.29
LIBSQL_OF_HERE := "process.platform + '-' + process.arch + (process.platform === 'linux' ? '-gnu' : '')"
PYTEST := $(PY) -m pytest
DEMO_OUT ?= demo-out
export EFFSPARK_JARS ?= $(CURDIR)/$(VENV)/jars

# As root on Debian, install the package $(1); elsewhere say $(2).
debian-install = if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; \
	then echo "installing the Debian package $(1)"; apt-get -qq update; \
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $(1) >/dev/null; \
	else echo "$(2)" >&2; exit 1; fi

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# ---------------------------------------------------------------------------------------------- set-up

.PHONY: setup
setup: $(PACKAGES) ## .venv with the pinned packages and the Delta JARs; checks Java (PYTHON=… picks the Python)
	@[ -n "$${JAVA_HOME:-}" ] || command -v java >/dev/null || { $(call debian-install,openjdk-17-jdk-headless,Spark needs \
		Java 17 or 21: install a JDK (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME to one); }
	@$(PY) -m effspark.spark.jars >/dev/null

$(PACKAGES): setup.py pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "installing the packages pinned in constraints.txt"
	@$(PY) -m pip install -q --disable-pip-version-check -c constraints.txt pip setuptools wheel
	@$(PY) -m pip install -qq --no-build-isolation -c constraints.txt -e '.[local,dev]'
	@touch $@

$(VENV)/bin/pip:
	@for python in $(or $(PYTHON),python3.11 python3.12 python3.10 python3); do \
		if "$$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 13))' 2>/dev/null; then break; fi; \
		python=; \
	done; \
	if [ -z "$$python" ]; then \
		echo "effspark needs Python 3.10 to 3.12; found $$($(or $(PYTHON),python3) --version 2>&1 | head -1 || true);" \
			"install one (Debian: apt-get install python3) and name it: make setup PYTHON=…" >&2; \
		exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
		version=$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		$(call debian-install,python$$version-venv,$$python has no ensurepip: install the package python$$version-venv); \
	fi; \
	echo "making $(VENV) with $$("$$python" --version)"; \
	"$$python" -m venv --clear $(VENV)

# ----------------------------------------------------------------------------------------------- using

.PHONY: demo
demo: setup ## simulated logs of three teams → lake → table and report in DEMO_OUT (demo-out)
	@$(VENV)/bin/effspark demo --out $(DEMO_OUT)

.PHONY: wheel
wheel: $(PACKAGES) ## the wheel, in dist
	@rm -rf build dist
	@$(PY) -m pip wheel -q --no-deps --no-build-isolation -w dist .
	@rm -rf build; ls dist/*.whl

.PHONY: clean
clean: ## removes .venv, caches, builds and the demo
	rm -rf $(VENV) build dist *.egg-info demo-out .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -rf spark-warehouse metastore_db derby.log
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --------------------------------------------------------------------------------------------- testing

STAGES := test-connect test-spark test-wheel test-core test-docs
.PHONY: test stages $(STAGES) test-faults test-slow test-fresh slow-core slow-spark slow-faults load bench bench-smoke mutants check
test: setup ## every test but the slow ones, two stages at a time; each stage is shown when it ends
	@echo "running $(STAGES), two at a time"
	@$(MAKE) -j2 --output-sync=target stages

stages: $(STAGES)

test-core: $(PACKAGES) ## the method, without a JVM
	$(PYTEST) tests/core $(wildcard tests/test_*.py)

test-docs: $(PACKAGES) ## the examples in docstrings and README.md
	$(PYTEST) --doctest-modules effspark
	$(PYTEST) --doctest-glob=README.md README.md || [ $$? -eq 5 ] # 5: it has none

# Spark of a whole test run is worth compiling, but what runs 200 times is not yet; most of its objects die young.
test-spark test-connect test-faults slow-spark slow-faults: export EFFSPARK_JAVA_OPTIONS := \
	-XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC -Xms3g -Xmn1500m -XX:Tier4InvocationThreshold=30000 \
	-XX:Tier4MinInvocationThreshold=6000 -XX:Tier4CompileThreshold=60000 -XX:Tier4BackEdgeThreshold=200000

test-spark: setup ## tables and jobs, Spark in the test process (but the tests of several loads: test-slow)
	$(PYTEST) -m 'not slow and not long and not connect' tests/spark tests/jobs

test-connect: export EFFSPARK_TEST_CONNECT := 1
test-connect: setup ## all of them through a Spark Connect server process, and with it test-faults
	$(PYTEST) -m 'not slow and not classic' tests/spark tests/jobs tests/faults

test-faults: setup ## kill, corrupt, truncate, race
	$(PYTEST) tests/faults

test-wheel: setup ## the wheel in empty environments
	$(PYTEST) tests/packaging

test-slow: setup ## the tests marked slow, and in a classic session those of several loads
	@$(MAKE) -j2 --output-sync=target slow-spark slow-faults slow-core test-fresh

slow-core: export EFFSPARK_FUZZ := 2000
slow-core: $(PACKAGES)
	$(PYTEST) tests/core/readers/test_rubbish.py
	$(PYTEST) -m slow $(wildcard tests/test_*.py)

slow-spark: setup
	$(PYTEST) -m 'slow or long' tests/spark tests/jobs

slow-faults: setup
	$(PYTEST) -m slow tests/faults

load: setup ## ingests folders of full size: an hour, 15 GB (SHARE=0.01 is a hundredth)
	$(PY) tests/load.py --share $(or $(SHARE),1)

test-fresh: $(FRESH)/python/.installed $(FRESH)/promptfoo/.$(PROMPTFOO) ## logs that the tools themselves write now
	$(PYTEST) -m slow tests/fresh

$(FRESH)/python/.installed: tests/fresh/requirements.txt | $(PACKAGES)
	@echo "installing Inspect, lm-evaluation-harness and lighteval into $(FRESH)/python"
	@$(PY) -m venv --clear $(FRESH)/python
	@$(FRESH)/python/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-compile -r $<
	@touch $@

$(FRESH)/promptfoo/.$(PROMPTFOO):
	@command -v npm >/dev/null || { echo "promptfoo needs Node.js 20.20, or 22.22 and later, with npm: install it" >&2; exit 1; }
	@echo "installing promptfoo into $(FRESH)/promptfoo"
	@rm -rf $(FRESH)/promptfoo; mkdir -p $(FRESH)/promptfoo
	@npm install --prefix $(FRESH)/promptfoo --silent --no-audit --no-fund --ignore-scripts --omit=optional \
		promptfoo@$(PROMPTFOO) libsql@$(LIBSQL) "@libsql/$$(node -p $(LIBSQL_OF_HERE))@$(LIBSQL)"
	@touch $@

bench: $(PACKAGES) ## measures speed beside other tools into bench/RESULTS.md (SCALE=tiny: a smoke run)
	$(PY) bench/reading.py --scale $(or $(SCALE),whole) $(if $(SCALE),--rounds 1,--out bench/RESULTS.md)

bench-smoke:
	@$(MAKE) bench SCALE=tiny

mutants: setup ## plants faults one at a time; each must turn a test red
	$(PY) tests/mutants.py

check: $(PACKAGES) ## ruff and mypy
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
