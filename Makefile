# The entry points for people and CI. `make` alone lists them.
SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The newest interpreter that runs and is supported; PYTHON= overrides.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3.10 python3; do \
	$$name -c 'import ensurepip, sys, venv; sys.exit(not (3, 10) <= sys.version_info[:2])' 2>/dev/null && { echo $$name; break; }; done)
# Of the command line alone: shells and conda have a HOST of their own in the environment.
HOST = 127.0.0.1
PORT = 8000
RESET =
TIMES = 20
SAVES = 10000
FAULTS = 100
# Hostile requests and turns of `make fuzz`.
HOSTILE = 1000
# Posts of a flood of `make trust`.
FLOOD = 500
# How the posts of `make chaos` are saved; empty for both ways.
MODE =
POSTS = 100000
# Pairs of copies of `make test-opensearch`.
TWINS = 1000
# Changes of keys, and posts, that wait for a worker whose memory `make test-opensearch` measures.
WAITING = 100000
KILLS = 20
# The hash secret of `make digest` and a file for its records, of the command line alone.
SECRET =
JSON =
# A folder of labelled texts for the accuracy gate (see docs/accuracy.md); without one the project's own are used.
DATA ?= $(NEARDUP_DATA)
# Where figures go; those of --quick mean nothing, and go nowhere.
BENCH_FILES = $(if $(findstring --quick,$(OPTIONS)),,--json docs/benchmarks.json --markdown docs/benchmarks.md $(if $(ROWS),--merge))

.PHONY: help env demo test test-fast test-sqlite test-postgresql test-mariadb test-long test-browser test-sites test-opensearch chaos-opensearch hosts lint format types messages screenshots fuzz chaos trust permissions kills bench board-questions bench-gate calibrate calibration digest audit figures prose services clean translations docs docs-check docs-links

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(STAMP)  ## create .venv with everything that development needs

$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.10 or newer is needed (with its venv and ensurepip modules): none was found on PATH." >&2; exit 1; }
	@echo "Creating $(VENV) with $(PYTHON)."
	$(PYTHON) -m venv $(VENV)
	@echo "Installing the project and its development tools into $(VENV), which takes some minutes the first time."
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[example]" --group dev
	@touch $@

demo: $(STAMP)  ## run the example project: HOST= PORT= REDIS_URL= DATABASE_URL= RESET=1 (start over); with OPENSEARCH=1 beside a private OpenSearch, on a new database
	HOST="$(HOST)" PORT="$(PORT)" $(if $(OPENSEARCH),$(BIN)/python -m tests.opensearch_service) $(BIN)/python example_project/demo.py $(if $(RESET),--reset)

test: test-sqlite test-postgresql test-mariadb  ## the suite, on every database

test-fast: $(STAMP)  ## about two minutes: tests that use no database, no service and no browser, without slow ones
	NEARDUP_DATA= NEARDUP_TEST_DATABASE=sqlite $(BIN)/python -m pytest -n 2 --dist loadgroup \
		-m "not slow and not long and not database and not postgresql and not mariadb and not redis and not opensearch and not browser"

test-sqlite: $(STAMP)  ## the suite, database tests on SQLite
	NEARDUP_TEST_DATABASE=sqlite $(BIN)/python -m pytest -n 2 --dist loadgroup -m "not long"

test-postgresql: $(STAMP)  ## database tests on a private PostgreSQL
	NEARDUP_TEST_DATABASE=postgresql $(BIN)/python -m pytest -n 2 --dist loadgroup -m "database and not engine_alike and not long"

test-mariadb: $(STAMP)  ## database tests on a private MariaDB
	NEARDUP_TEST_DATABASE=mariadb $(BIN)/python -m pytest -n 2 --dist loadgroup -m "database and not engine_alike and not long"

test-long: $(STAMP)  ## what `make test` does in part: pages on the servers, all in the browser, all labelled texts, every statement of a crash, large queues, all benchmarks in short
	set -e; for engine in sqlite postgresql mariadb; do \
		test $$engine = sqlite && which="long" || which="database and (long or engine_alike)"; \
		NEARDUP_TEST_DATABASE=$$engine $(BIN)/python -m pytest -n 2 --dist loadgroup -m "$$which"; \
	done

test-sites:  ## models of other packages and other admin themes, in environments of their own: SITES=mptt,unfold (all)
	$(PYTHON) -m tests.sites $(SITES)

test-opensearch: $(STAMP)  ## keys in a private OpenSearch, on SQLite and PostgreSQL: contract, TWINS=1000 copies saved at once, rebuilds, memory with WAITING=100000, recall on labelled texts (DATA=FOLDER)
	set -e; for engine in sqlite postgresql; do \
		NEARDUP_TEST_DATABASE=$$engine NEARDUP_DATA="$(DATA)" TWINS=$(TWINS) WAITING=$(WAITING) POSTS=2000 $(BIN)/python -m pytest -s tests/index -m opensearch --ignore tests/index/test_opensearch_chaos.py; \
	done

chaos-opensearch: $(STAMP)  ## three private nodes are killed, filled and silenced, workers killed, while posts are saved: nothing is lost
	set -e; for engine in sqlite postgresql; do \
		NEARDUP_TEST_DATABASE=$$engine $(BIN)/python -m pytest -s tests/index/test_opensearch_chaos.py; \
	done

hosts: $(STAMP)  ## workers on hosts with networks, names and clocks of their own, cut off in mid-turn, on PostgreSQL and MariaDB (needs root): nothing is lost or doubled
	set -e; for engine in postgresql mariadb; do \
		NEARDUP_TEST_DATABASE=$$engine $(BIN)/python -m pytest tests/pipeline/test_hosts.py; \
	done

test-browser: $(STAMP)  ## browser tests; with DJANGO=6.1 in an environment of its own (needs an interpreter for it: PYTHON=python3.13)
	@if [ -z "$(DJANGO)" ]; then \
		$(BIN)/python -m pytest -m browser; \
	else \
		$(PYTHON) -m venv .venv-django-$(DJANGO) && \
		.venv-django-$(DJANGO)/bin/python -m pip install --quiet --upgrade "pip>=25.1" && \
		.venv-django-$(DJANGO)/bin/python -m pip install --quiet --editable ".[example]" --group dev "django==$(DJANGO).*" && \
		.venv-django-$(DJANGO)/bin/python -m django --version && \
		.venv-django-$(DJANGO)/bin/python -m pytest -m browser; \
	fi

fuzz: $(STAMP)  ## property tests with TIMES=20 as many examples as in `make test`, random schemas on every database, and HOSTILE=1000 requests and turns within their budgets
	FUZZ=$(TIMES) SCHEMAS=500 HISTORIES=20 $(BIN)/python -m pytest -n 2 -m hypothesis
	set -e; for engine in postgresql mariadb; do \
		NEARDUP_TEST_DATABASE=$$engine SCHEMAS=50 HISTORIES=20 $(BIN)/python -m pytest -n 2 tests/moderation/test_random_schemas.py; \
	done
	HOSTILE=$(HOSTILE) $(BIN)/python -m pytest -s tests/trust/test_budgets.py

chaos: $(STAMP)  ## SAVES=10000 posts while workers and savers are killed, stalled and cut off FAULTS=100 times: MODE=autocommit|atomic (both) SEED=; then 100 savers killed before their mark
	set -e; for engine in postgresql mariadb sqlite; do \
		NEARDUP_TEST_DATABASE=$$engine SAVES=$(SAVES) FAULTS=$(FAULTS) MODE=$(MODE) SEED=$(SEED) $(BIN)/python -m pytest -s tests/pipeline/test_chaos.py; \
		NEARDUP_TEST_DATABASE=$$engine KILLS=$(FAULTS) $(BIN)/python -m pytest tests/pipeline/test_open_saves.py -k killed; \
	done

trust: $(STAMP)  ## attacks on the index by hostile authors, each with a control that succeeds without the defence: FLOOD=500 posts
	FLOOD=$(FLOOD) $(BIN)/python -m pytest -n 2 --dist loadgroup tests/trust

permissions: $(STAMP)  ## the table of persons, addresses, acts and kinds of post, of two tenants, and how many cells are wrong (a quarter of an hour)
	@PERMISSIONS=print NEARDUP_TEST_DATABASE=sqlite $(BIN)/python -m pytest -q -p no:randomly tests/permissions/test_table.py -k "left_out or all"

kills: $(STAMP)  ## an index of POSTS=100000 posts that is killed KILLS=20 times equals one that is not
	NEARDUP_TEST_DATABASE=sqlite POSTS=$(POSTS) KILLS=$(KILLS) $(BIN)/python -m pytest -s tests/pipeline/test_runs.py -k killed_at_random

lint: $(STAMP)  ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(STAMP)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(STAMP)  ## mypy, strict
	$(BIN)/mypy

messages: $(STAMP)  ## collect and compile the translations (needs gettext)
	cd django_neardup && ../$(BIN)/django-admin makemessages --all --no-obsolete --no-location && ../$(BIN)/django-admin compilemessages

screenshots: $(STAMP)  ## take the pictures of docs/screenshots anew (needs Chromium): NAMES=queue
	$(BIN)/python -m tests.browser.screenshots $(NAMES)

bench: $(STAMP)  ## measurements beside peers: ROWS=1,2,12 (all, which takes hours), DATA=FOLDER of texts, OPTIONS=--quick (prints alone), ROWS=million BASELINE=COMMIT SITES=FOLDER
	NEARDUP_DATA="$(DATA)" NEARDUP_BASELINE="$(BASELINE)" NEARDUP_SITES="$(SITES)" $(BIN)/python -m benchmarks $(if $(ROWS),--rows $(ROWS)) $(BENCH_FILES) $(OPTIONS)

board-questions: $(STAMP)  ## rows of the review queue beside the questions of a board of 50 000 adverts (half an hour): DATA=FOLDER of texts, OPTIONS="--posts 5000"
	NEARDUP_DATA="$(DATA)" $(BIN)/python -m benchmarks.board_questions $(OPTIONS)

bench-gate: $(STAMP)  ## accuracy floors, on labelled texts: DATA=FOLDER, else on the project's own
	@if [ -n "$(DATA)" ]; then \
		$(BIN)/python -m django_neardup.evaluation --data "$(DATA)" --gate benchmarks/floors.json && \
		$(BIN)/python -m django_neardup.evaluation --data "$(DATA)" --calibration; \
	else \
		echo "No folder of labelled texts (DATA= or NEARDUP_DATA): the floors of the project's own texts, tests/data."; \
		$(BIN)/python -m django_neardup.evaluation --data tests/data --gate benchmarks/floors_own.json; \
	fi

calibrate: $(STAMP)  ## fit the certainty of the judge to labelled texts: DATA=FOLDER
	$(BIN)/python -m django_neardup.evaluation --data "$(DATA)" --calibrate django_neardup/judge/certainty.json

calibration: $(STAMP)  ## how often the judge is right where it is sure, and in doubt: DATA=FOLDER OPTIONS="--format html --output FILE"
	$(BIN)/python -m django_neardup.evaluation --data "$(DATA)" --calibration $(OPTIONS)

digest: $(STAMP)  ## digests of every verdict and key, equal before and after a refactoring: DATA=FOLDER SECRET= JSON=FILE
	@$(BIN)/python -m tools.digest $(if $(DATA),--data "$(DATA)") $(if $(SECRET),--secret "$(SECRET)") $(if $(JSON),--json "$(JSON)")

audit: $(STAMP)  ## known weaknesses: rules of ruff and bandit, and vulnerable versions of what is installed (if its database is reachable)
	$(BIN)/python -m pip install --quiet --group audit
	$(BIN)/ruff check django_neardup
	$(BIN)/bandit --quiet --recursive --configfile pyproject.toml django_neardup
	@$(BIN)/python tools/audit.py

figures: $(STAMP)  ## the shape of the code in figures: OPTIONS="--json FILE --compare FILE --static"; what pages read of PostgreSQL: PAGES=1
ifdef PAGES
	NEARDUP_TEST_DATABASE=postgresql NEARDUP_PAGE_ROWS=100000 $(BIN)/python -m pytest -q tests/admin/test_page_reads.py
else
	@$(BIN)/python -m tools.figures $(OPTIONS)
endif

prose: $(STAMP)  ## archaic and riddling turns per 1 000 words: OPTIONS="--list 20 --path docs/ --by-file --package NAME"
	@$(BIN)/python -m tools.prose $(OPTIONS)

docs: $(STAMP)  ## build the documentation as a site in build/docs, in English and Russian; a dead link fails
	$(BIN)/python -m sphinx -W --keep-going -q -c docs -d build/doctrees/en . build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -c docs -d build/doctrees/ru -t russian -D language=ru . build/docs/ru
	@echo "The site: build/docs/index.html"

docs-check: $(STAMP)  ## build the documentation and open every page in Chromium: links, pictures, WCAG, console, search
	$(BIN)/python -m pytest tests/test_docs_site.py tests/browser/test_documentation.py

docs-links: $(STAMP)  ## ask every external link of the documentation; what does not answer is listed with the reason
	$(BIN)/python -m sphinx -q -b linkcheck -c docs -d build/doctrees/ru -t russian -D language=ru . build/links; \
		status=$$?; grep -v ': \[working\]' build/links/output.txt; exit $$status

translations: $(STAMP)  ## Russian pages that fell behind the English ones: OPTIONS="--diff docs/ru/tutorial.md", --done
	@$(BIN)/python -m tools.translated_pages $(OPTIONS)

services: ## install PostgreSQL, MariaDB, Redis, Chromium, nginx, gettext (Debian), and OpenSearch for the tests
	sh .ci/services

clean:  ## remove the environment and what tools left behind
	rm -rf $(VENV) .venv-sites build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage htmlcov
