# make play [ONCE=1]   see a whole game played through the API, and go on with it; ONCE=1 ends by itself; PORT=… as you like
# make test            the tests, without the slow ones; WHOLE=1 with them, as a build does; COVERED=1 counts which lines
#                      and branches of the code they execute, too
# make test-failed     those that failed, once more and alone
# make coverage        all tests, and which lines and branches of the code they do not execute; fails below a floor
# make mutants         try a sample of mutants on the tests; WHERE="engine store" of some packages, SAMPLE=200, SEED=7
# make check           lint, types, import rules
# make drill           the drills in full length
# make bench           measure everything; WHAT="sync length" some of it, ROUNDS=7 more often
# make openapi         write openapi.yaml anew from the code
# make lint-openapi    hold openapi.yaml against the recommended rules of Redocly and Spectral; needs npm
# make messages        bring the catalogs of all languages up to what the code says

.PHONY: setup play test test-failed coverage uncovered mutants check drill bench openapi lint-openapi messages
.DELETE_ON_ERROR:

# Empty is unset. Where it is set, as in many images, each process of the tests compiles anew all that it imports.
export PYTHONDONTWRITEBYTECODE :=

BIN := .venv/bin
SETUP := .venv/.filled

setup: $(SETUP)

$(SETUP): requirements.txt pyproject.toml scripts/environment.sh
	scripts/environment.sh
	touch $@

play: $(SETUP)
	$(BIN)/python -m demo $(if $(ONCE),--once) $(if $(PORT),--port $(PORT))

# By slipcover, which changes the bytecode: before Python 3.12, coverage.py takes as much time again as the tests.
# It can't handle the rewriting of assertions. Processes that the tests start don't count.
OF := engine,service
TESTS :=
COVERED :=
WHOLE :=
COUNTING := python -m slipcover --branch --source $(OF) --json --out .coverage.json -m pytest --assert=plain

test: $(SETUP)
	$(BIN)/$(if $(COVERED),$(COUNTING),pytest) -q -n $$(( $$(nproc) + 2 )) --dist loadgroup $(if $(WHOLE),--whole) $(TESTS)

# Runs each test that failed in the last run once more, alone, and names it; fails if one fails again.
test-failed: $(SETUP)
	$(BIN)/pytest -v -x --whole --last-failed --last-failed-no-failures none

coverage: COVERED := 1
coverage: WHOLE := 1
coverage: test
	$(MAKE) --no-print-directory uncovered

# Its --fail-under drops what the processes of xdist have counted before it prints, so a second call prints and holds.
FLOOR := 94
uncovered: $(SETUP)
	$(BIN)/python -m slipcover --merge .coverage.json --out .coverage.json --skip-covered --fail-under $(FLOOR)

mutants: $(SETUP)
	[ -e .mutate/executed.json.gz ] || $(BIN)/python -m scripts.mutate measure
	$(BIN)/python -m scripts.mutate $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED)) $(WHERE)

check: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

drill: $(SETUP)
	$(BIN)/pytest --drill -m "drill and not alone" -n 2 --dist loadgroup -rP
	$(BIN)/pytest --drill -m "drill and alone" -rP

bench: $(SETUP)
	$(BIN)/python -m bench $(WHAT) $(if $(ROUNDS),--rounds $(ROUNDS))

openapi: $(SETUP)
	$(BIN)/novaluna openapi > openapi.yaml.new
	mv openapi.yaml.new openapi.yaml

# Its tools, and those of the tests in tests/integration/clients, come from npm.
CLIENTS := tests/integration/clients

$(CLIENTS)/node_modules: $(CLIENTS)/package-lock.json
	npm ci --ignore-scripts --no-audit --no-fund --prefix $(CLIENTS)
	touch $@

lint-openapi: $(CLIENTS)/node_modules
	cd $(CLIENTS) && REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
		node_modules/.bin/redocly lint --config redocly.yaml ../../../openapi.yaml
	cd $(CLIENTS) && node_modules/.bin/spectral lint --ruleset spectral.yaml --fail-severity error \
		--display-only-failures ../../../openapi.yaml

messages: $(SETUP)
	$(BIN)/python -m scripts.messages
