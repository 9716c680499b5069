# SPDX-License-Identifier: Apache-2.0
# Everything a fresh machine needs: Python 3.10+ and make. `make demo` compares the kernels, `make test` runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PREFIX ?= /usr/local
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --retries 2
OFFLINE = { echo "make: pip failed; no network? Run it again later: what was fetched stays" >&2; exit 1; }
SUBJECTS := rtl runtime formal synth linux docs
TESTS := check test $(SUBJECTS:%=test-%) test-soc test-all test-nightly test-outside test-changed

.PHONY: demo $(TESTS) synth results docs exclusive scx_dwrr lagmeter install-linux uninstall-linux deb dist setup clean help

help:
	@echo "make demo      compare both kernels on four programs, in two minutes"
	@echo "make check     check style, types, import layers, generated files and licences (seconds)"
	@echo "make test      run what a change should pass before it is committed (minutes)"
	@echo "make test-SUBJECT  run the other tests of one of: $(SUBJECTS)"
	@echo "               (linux: in a virtual machine, which needs apt or its cache, and 700 MB)"
	@echo "make test-soc  of these, what brings a unit or an SoC into your flow: FuseSoC, LiteX, buses, Icarus, boards, JTAG"
	@echo "make test-all  run all of these; make test-nightly: many seeds and all configurations (hours)"
	@echo "make test-outside  build and run public programs on both kernels (hours; needs apt, make, cmake and cc)"
	@echo "make synth     area and clock of every unit on an ECP5 FPGA"
	@echo "make results   measure what `coreloom report --stale` lists, and write docs/results and the README's figures"
	@echo "make exclusive make the program of coreloom exclusive and print where it is (it can be copied anywhere);"
	@echo "               make scx_dwrr and make lagmeter likewise"
	@echo "make install-linux  install the three with units, man pages and completion: PREFIX=/usr/local, DESTDIR="
	@echo "make uninstall-linux  uninstall them"
	@echo "make deb       make a Debian package of the same and print where it is"
	@echo "make dist      make source archive, wheel and RTL archive, try each in an empty environment"
	@echo "make docs      build the site of all documents, and print where it is"
	@echo "make setup     only install what the demo needs, into $(VENV); make setup-cluster: what coreloom sweep"
	@echo "               and --dask need, Parquet and Dask; setup-test, -check, -synth, -linux: what the tests need"
	@echo "make clean     remove everything that was made here; what checkouts share is in ~/.cache/coreloom (CORELOOM_CACHE)"

demo: setup
	@$(BIN)/coreloom demo

$(TESTS):
	@$(PYTHON) tests/run.py $@

synth: setup-synth
	$(BIN)/coreloom synth

results: setup-synth setup-cluster setup-report
	$(BIN)/coreloom bench stale
	$(BIN)/coreloom report

docs: setup-docs
	@rm -rf build/site
	@$(BIN)/python -m sphinx --quiet --fail-on-warning -c docs/site . build/site
	@echo "build/site/index.html"

exclusive scx_dwrr lagmeter: setup
	@$(BIN)/coreloom $@ --build

# To a machine without them, too: they need glibc 2.36 at most.
install-linux uninstall-linux: setup
	@$(BIN)/coreloom package $(@:-linux=) --prefix '$(PREFIX)' --destdir '$(DESTDIR)'

deb: setup
	@$(BIN)/coreloom package deb

dist: setup-test
	@$(BIN)/python .ci/dist.py

setup: $(VENV)/.setup
setup-%: $(VENV)/.setup-% ;
.PRECIOUS: $(VENV)/.setup-%

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "make: Python 3.10 or newer is needed; set PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "make: the venv module is needed (Debian: apt-get install python3-venv)"; rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/.setup: $(VENV)/.python pyproject.toml
	@echo "installing the tools into $(VENV) (about 600 MB on disk)"
	@$(PIP) -e . || $(OFFLINE)
	@touch $@

# An extra of pyproject.toml, with what the demo needs.
$(VENV)/.setup-%: $(VENV)/.python pyproject.toml
	@echo "installing into $(VENV) what $* needs"
	@$(PIP) -e '.[$*]' || $(OFFLINE)
	@touch $@

$(VENV)/.setup-linux: $(VENV)/.setup
	@echo "fetching kernels, QEMU and libraries for the tests with Linux (700 MB, once)"
	@$(BIN)/coreloom vm --prepare > /dev/null && touch $@ || echo "make: without them these tests are left out"

clean:
	rm -rf build $(VENV)
