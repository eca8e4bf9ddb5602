# Each target sets up what it needs, from Python 3.11 or newer and the package index alone.
.PHONY: setup setup-dev run demo test test-browser test-servers test-faults test-slow test-resilience check coverage bench docs pictures lock vendor browser promtool image pin-images image-check nginx clamd clean

# If this were set, every test process would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
ROWS ?= 100000
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is older. Try make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv --without-pip $(VENV)

# uv takes seconds. If it is not available, or only pip knows the package index, pip installs. A pip
# of its own takes the environment three seconds, so it has one only if Python has none.
PIP = $$($(PYTHON) -m pip --version >/dev/null 2>&1 && echo $(PYTHON) -m pip --python || \
	{ $(BIN)/python -m ensurepip >/dev/null && echo $(BIN)/python -m pip --python; }) $(BIN)/python \
	install --quiet --disable-pip-version-check --require-hashes
installed = $(PIP) -r deploy/installer.lock && \
	$(BIN)/uv pip install --quiet --system-certs --python $(BIN)/python --require-hashes -r $(1) || $(PIP) -r $(1)

$(VENV)/.installed: deploy/requirements.lock | $(BIN)/python
	$(call installed,deploy/requirements.lock)
	@touch $@

$(VENV)/.installed-dev: deploy/requirements-dev.lock | $(BIN)/python
	$(call installed,deploy/requirements-dev.lock)
	@touch $@ $(VENV)/.installed

setup: $(VENV)/.installed ## a virtual environment with everything the service needs

setup-dev: $(VENV)/.installed-dev ## the same with everything tests and checks need

run: setup ## run the whole service on this machine until Ctrl-C
	@PORT=$(PORT) $(BIN)/python manage.py serve

demo: setup ## start a service, file a made-up LAR up to its receipt, and stop
	@$(BIN)/python manage.py demo

# Each test has the marker of its kind (unit, http, flow, browser, resilience; see pyproject.toml).
# A third process has work for two cores while the others wait for a service.
# COVERAGE=1 measures which lines and branches the tests of this process run; make coverage prints it.
measured = $(if $(COVERAGE),COVERAGE_FILE=var/coverage/$@) $(BIN)/pytest $(if $(COVERAGE),--cov --cov-report=)

test: setup-dev ## all tests that are not slow and need no browser, on SQLite and folders (PLACES=1: name what no test for PostgreSQL runs)
	$(measured) -p no:schemathesis --numprocesses=3 $(if $(PLACES),--places) -m "not slow and not browser and not resilience"

test-browser: setup-dev browser ## the pages, in Chromium
	$(measured) -p no:schemathesis -m browser tests/browser

test-servers: setup-dev ## what PostgreSQL or Redis decide, on both (TEST_DATABASE_URL, TEST_REDIS_URL)
	DATABASE_URL=$${TEST_DATABASE_URL:-postgresql://postgres@127.0.0.1:5432/hmda} \
	CELERY_BROKER_URL=$${TEST_REDIS_URL:-redis://127.0.0.1:6379}/15 \
	CACHE_URL=$${TEST_REDIS_URL:-redis://127.0.0.1:6379}/15 \
	$(measured) -p no:schemathesis -m "servers and not resilience"

few_faults = $(BIN)/python -m tests.resilience.chaos --minutes 0.7 --institutions 6 --faults 5 --lease 4 --frozen 15 --poison 1

test-faults: setup-dev ## five faults with short leases while institutions file: nothing lost, nothing doubled, no stall; on SQLite and folders, and on servers of its own
	$(few_faults)
	$(few_faults) --servers

test-slow: setup-dev promtool nginx clamd ## the slow tests, on SQLite and folders: fuzzing, crawling, nginx, examples, alert rules, a virus scanner
	$(measured) --hypothesis-profile thorough -m "slow and not browser"

test-resilience: setup-dev nginx ## hours, before a release: the measuring commands, generated clients, faults and restarts under load, a million broken files, made-up requests
	$(BIN)/pytest -p no:schemathesis -m resilience
	$(BIN)/pytest tests/test_unstorable_text.py --every-request 1
	$(BIN)/pytest -p no:schemathesis tests/test_made_up_requests.py --requests 1000000
	$(BIN)/pytest tests/filing/edits/test_fuzz.py --fuzz-rows 2000000
	$(BIN)/pytest tests/filing/edits/test_against_published_rules.py -k mixed_loans --mixed-rows 333334
	$(BIN)/pytest -p no:schemathesis tests/filing/lar/test_fuzz.py tests/filing/panel/test_fuzz.py tests/filing/reference/test_fuzz.py tests/ratespread/test_fuzz.py --fuzz-inputs 150000
	$(BIN)/pytest -p no:schemathesis tests/flow/test_filing.py --numprocesses=0 --nodes
	for seed in 1 2 3 4 5; do \
		$(BIN)/python -m tests.resilience.chaos --faults 40 --seed $$seed && \
		$(BIN)/python -m tests.resilience.chaos --faults 40 --seed $$seed --servers || exit 1; done

coverage: setup-dev ## the lines and branches that the measured tests ran
	$(BIN)/coverage combine --keep --quiet --data-file=var/coverage/all var/coverage/test*
	$(BIN)/coverage report --data-file=var/coverage/all

check: setup-dev ## lint, format, types, migrations, generated documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	$(BIN)/python manage.py build_docs --check
	$(BIN)/python deploy/sbom.py --check
	@deploy/pin_images.sh --check || true  # a site pins them: their digests are in no package index

bench: setup-dev ## compare seconds, rows per second and memory with a plain loop and PostgreSQL, in one run
	$(BIN)/python bench/filing.py --rows $(ROWS)
	$(BIN)/python bench/pages.py --rows $(ROWS)
	$(BIN)/python bench/tools.py --rows $(ROWS)
	$(BIN)/python bench/browser.py --rows $(ROWS)
	$(BIN)/python bench/explorer.py --rows $(ROWS)
	$(BIN)/python bench/publication.py --rows $(ROWS)
	$(BIN)/python bench/differences.py --rows $(ROWS)
	$(BIN)/python bench/reports.py --rows $(ROWS)
	$(BIN)/python bench/graphs.py --rows $(ROWS)
	$(BIN)/python bench/season_figures.py
	$(BIN)/python bench/people.py

docs: setup-dev ## write the documents in docs/generated
	$(BIN)/python manage.py build_docs

pictures: setup-dev browser ## take the pictures for the documents, in the browser tests
	$(BIN)/pytest tests/browser --numprocesses=0 --pictures docs/pictures

lock: setup-dev ## the lock files and the bill of materials, from pyproject.toml
	$(BIN)/uv pip compile --group install --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/installer.lock
	$(BIN)/uv pip compile pyproject.toml --extra server --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra server --group dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header --quiet --output-file deploy/requirements-dev.lock
	$(BIN)/python deploy/sbom.py

browser: setup-dev ## install Chromium for the browser tests if it is missing
	@command -v chromium-headless-shell >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends chromium-headless-shell; } || \
		command -v chromium chromium-browser google-chrome google-chrome-stable >/dev/null || \
		$(BIN)/playwright install chromium

# Only the program, out of Debian's package: the package itself would start a server.
unpacked = { command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null && \
	{ [ "$$(id -u)" != 0 ] || apt-get update -qq; } && folder=$$(mktemp -d) && chmod 755 $$folder && \
	(cd $$folder && apt-get download -qq $(1) 2>/dev/null) && \
	dpkg-deb --fsys-tarfile $$folder/$(1)_*.deb | tar -xO ./usr/$(2) >$$folder/program && \
	install $$folder/program $(BIN)/$(notdir $(2)) && rm -r $$folder; }

promtool: setup-dev ## download promtool for the tests of the alert rules if it is missing
	@command -v promtool >/dev/null || test -x $(BIN)/promtool || \
		$(call unpacked,prometheus,bin/promtool) || \
		{ echo "Install promtool of Prometheus 2.42 or newer: https://prometheus.io/download/"; exit 1; }

image: ## build the container image; without a registry, as root, with mmdebstrap and buildah (BASE=an image to build on)
	PYTHON=$(PYTHON) deploy/image.sh

pin-images: ## write the digests of the images of others into .env, for compose; needs docker or skopeo
	deploy/pin_images.sh

image-check: setup-dev ## run the image for real, on PostgreSQL and Redis, and file with it: needs podman, as root
	$(BIN)/python deploy/check_image.py

nginx: setup-dev ## download nginx for the tests of deploy/nginx.conf if it is missing
	@command -v nginx >/dev/null || test -x $(BIN)/nginx || \
		$(call unpacked,nginx,sbin/nginx) || \
		{ echo "Install nginx 1.20 or newer: https://nginx.org/en/download.html"; exit 1; }

# With the libraries that this machine lacks, out of Debian's packages: they would start a server.
clamd: setup-dev ## download clamd of ClamAV for the tests of the virus scan if it is missing
	@command -v clamd >/dev/null || test -x $(BIN)/clamd || { command -v apt-get >/dev/null && \
		{ [ "$$(id -u)" != 0 ] || apt-get update -qq; } && folder=$$(mktemp -d) && chmod 755 $$folder && \
		packages=$$(apt-get -s install --no-install-recommends clamav-daemon | sed -n 's/^Inst \([^ ]*\).*/\1/p') && \
		(cd $$folder && apt-get download -qq $$packages 2>/dev/null) && \
		rm -rf $(VENV)/clamav && mkdir $(VENV)/clamav && \
		for package in $$folder/*.deb; do dpkg-deb -x $$package $(VENV)/clamav; done && rm -r $$folder && \
		libraries=$$(dirname $$(find $(VENV)/clamav/usr/lib -name 'libclamav.so*' | head -n 1)) && \
		printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$$@"\n' "$$(realpath $$libraries)" \
			"$$(realpath $(VENV)/clamav/usr/sbin/clamd)" >$(BIN)/clamd && chmod 755 $(BIN)/clamd; } || \
		{ echo "Install clamd of ClamAV 1.0 or newer: https://www.clamav.net/downloads"; exit 1; }

vendor: setup ## download the styles, fonts and scripts in the manifest (UPDATE=1: write their new hashes)
	$(BIN)/python manage.py vendor $(if $(UPDATE),--update)

clean: ## delete the virtual environment and the data of the service
	rm -rf $(VENV) var
