# Targets are explained in README.md, under "Maintaining".
# Set-up is done once for each lock: a stamp in .venv says so until the lock or pyproject.toml changes.

PYTHON ?= python3
BIN := .venv/bin
COMPILE = uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --custom-compile-command 'make lock'

.PHONY: run test coverage bench dist golden lock clean

run: .venv/ready-run
	@$(BIN)/casino run $(ARGS)

test: .venv/ready-test
	@$(BIN)/python -m pytest -n auto $(ARGS)

coverage: .venv/ready-test
	@$(BIN)/python -m pytest -n auto --cov $(ARGS)

bench: .venv/ready-bench
	@for script in $(basename $(notdir $(shell grep -ls __main__ bench/*.py))); do $(BIN)/python -m bench.$$script || exit 1; done

dist: .venv/ready-test
	@$(BIN)/python -m build --no-isolation --outdir dist

golden: .venv/ready-test
	@$(BIN)/python -m pytest --quiet --write-golden tests/golden

lock:
	$(COMPILE) --group test -o requirements/test.txt
	$(COMPILE) --group build -c requirements/test.txt -o requirements/run.txt
	$(COMPILE) --group bench -c requirements/test.txt -o requirements/bench.txt

clean:
	rm -rf .venv build dist *.egg-info

.venv/ready-%: requirements/%.txt pyproject.toml | $(BIN)/python
	@echo "Setting up .venv from $< (once; it takes a minute or two) …"
	@$(BIN)/python -m pip install --quiet --require-hashes -r $<
	@$(BIN)/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "casino: there is no $(PYTHON): install Python 3.11 or newer, or say make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) requirements/check_python.py
	@$(PYTHON) -m venv .venv
