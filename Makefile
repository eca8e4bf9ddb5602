# Each target sets up what it needs, from Python 3.11 or newer and the package index alone.
.PHONY: setup setup-dev run demo test test-slow check test-services bench docs pictures lock vendor browser clean

# Where this is set, each of the many processes of the tests compiles every module again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
ROWS ?= 100000
# As long as all others together. Of those in flow most run in test-services, too.
SLOW := browser bench test_unstorable_text.py filing/demo/test_submissions.py filing/admin/test_no_forging.py \
	$(patsubst %,filing/edits/test_%.py,fuzz against_published_rules) filing/demo/test_files.py \
	$(patsubst %,flow/test_%.py,crawl filing_pages_killed killed limits refusals retry rights same_findings serve storage together)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# uv takes seconds. Where there is none for the machine, or an index only pip knows of, pip does it.
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --require-hashes
installed = $(PIP) -r deploy/installer.lock && \
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --require-hashes -r $(1) || $(PIP) -r $(1)

$(VENV)/.installed: deploy/requirements.lock | $(BIN)/python
	$(call installed,deploy/requirements.lock)
	@touch $@

$(VENV)/.installed-dev: deploy/requirements-dev.lock | $(BIN)/python
	$(call installed,deploy/requirements-dev.lock)
	@touch $@ $(VENV)/.installed

setup: $(VENV)/.installed ## a virtual environment with what the service needs

setup-dev: $(VENV)/.installed-dev ## the same with what tests and checks need

run: setup ## the whole service on this machine, until Ctrl-C
	@PORT=$(PORT) $(BIN)/python manage.py serve

demo: setup ## files a register from nothing to a receipt, then stops
	@$(BIN)/python manage.py demo

test: setup-dev ## all tests but the slow ones (make test-slow), on SQLite and folders
	$(BIN)/pytest $(SLOW:%=--ignore tests/%)

test-slow: setup-dev browser ## pages in Chromium, benches, fuzzing, forging, refusals over HTTP
	$(BIN)/pytest $(SLOW:%=tests/%)

check: setup-dev ## lint, format, types, migrations, generated documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	$(BIN)/python manage.py build_docs --check
	$(BIN)/pytest tests/test_floors.py tests/test_rooms.py tests/test_demo_rooms.py

# What they hold is the same wherever the rows are kept.
WITHOUT_STORE := filing/lar filing/edits filing/reference filing/people/test_roles.py filing/test_statuses.py \
	$(patsubst %,filing/admin/test_%.py,no_forging pages panel_import people personal_tokens forms submission_page) \
	$(patsubst %,filing/submissions/test_%.py,comparison findings) filing/test_client.py filing/demo \
	$(patsubst %,config/test_%.py,pages reference static) config/management/commands/test_prepare.py \
	config/identity config/test_checks.py flow/test_client.py flow/test_examples.py \
	$(patsubst %,filing/management/commands/test_%.py,check_lar make_lar) flow/test_identity.py flow/test_readme.py flow/test_refusals.py flow/test_test_environment.py \
	flow/test_same_findings.py flow/test_samples.py flow/test_serve.py

STORED := databrowser/admin databrowser/publications $(patsubst %,databrowser/publication/%,builds disclosing versions) \
	graphs/test_computing.py

test-services: setup-dev ## what stores or queues, on PostgreSQL and Redis (TEST_DATABASE_URL, TEST_REDIS_URL)
	DATABASE_URL=$${TEST_DATABASE_URL:-postgresql://postgres@127.0.0.1:5432/hmda} \
	CELERY_BROKER_URL=$${TEST_REDIS_URL:-redis://127.0.0.1:6379}/15 \
	CACHE_URL=$${TEST_REDIS_URL:-redis://127.0.0.1:6379}/15 \
	$(BIN)/pytest -p no:schemathesis tests/flow tests/config tests/filing $(STORED:%=tests/%) \
		$(WITHOUT_STORE:%=--ignore tests/%)

bench: setup-dev ## seconds, rows per second and memory, beside a plain loop in the same run
	$(BIN)/python bench/filing.py --rows $(ROWS)
	$(BIN)/python bench/pages.py --rows $(ROWS)
	$(BIN)/python bench/tools.py --rows $(ROWS)
	$(BIN)/python bench/browser.py --rows $(ROWS)
	$(BIN)/python bench/publication.py --rows $(ROWS)
	$(BIN)/python bench/graphs.py --rows $(ROWS)
	$(BIN)/python bench/season.py

docs: setup-dev ## the documents under docs/generated
	$(BIN)/python manage.py build_docs

pictures: setup-dev browser ## the pictures in the documents, taken where pages are tested
	$(BIN)/pytest tests/browser --numprocesses=0 --pictures docs/pictures

lock: setup-dev ## the lock files anew, from pyproject.toml
	$(BIN)/uv pip compile --group install --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/installer.lock
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/requirements-dev.lock

browser: setup-dev ## a Chromium for the tests of pages, where there is none
	@for name in chromium chromium-browser google-chrome google-chrome-stable; do \
		command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; \
	else $(BIN)/playwright install chromium; fi

vendor: setup ## styles, fonts and scripts of others anew, as their manifest lists them (UPDATE=1: other versions)
	$(BIN)/python manage.py vendor $(if $(UPDATE),--update)

clean: ## what was installed and what the service keeps
	rm -rf $(VENV) var
