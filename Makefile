# Arraywright. `make run` and `make test` do everything on a fresh Debian 12 machine.

SHELL := /bin/bash
export PATH := $(CURDIR)/.tools/node/bin:$(PATH)

BUILD := .run/build
LISTEN ?= 127.0.0.1:8080

.PHONY: help run test test-bare test-documents test-images judge bench coverage soak soak-fuzz soak-lines soak-drives soak-host soak-hole soak-restarts lint generate clean demo-reset deb deb-check deb-story journey upgrade-test setup setup-test agent frontend screenshots

help:
	@printf '%s\n' \
	  'make run         set up, build and start the backend and three demo hosts' \
	  '                 (LISTEN=ADDRESS:PORT listens elsewhere, then with TLS)' \
	  'make demo-reset  forget the demo: its drives, database and login' \
	  'make test        set up and run every test; ONLY="backend ..." only these steps of it.' \
  '                 What is drawn anew in each run comes from a seed that is printed, and again' \
  '                 with what failed: AW_FRESH_SEED=N repeats it' \
	  'make test-bare   make run (twice) and make test in a Debian 12 root made by debootstrap; as root.' \
  '                 ONLY=run, ONLY=test or ONLY="test backend": less; CCACHE=1: with ccache.' \
  '                 The result is kept in .ci/test-bare.json' \
  'make test-documents  runs the commands of README.md and docs/ as they stand there, in Debian 12' \
  '                 roots; as root. CHAIN=agent: only these; the result is kept in' \
  '                 .ci/test-documents.json' \
  'make test-images the images of docker-compose.yml, built and started by podman; as root.' \
  '                 The result is kept in .ci/test-images.json' \
  'make judge       of make test only the step with a stock kernel under QEMU: over a virtual' \
	  '                 drive while arrayd is restarted, its mdadm over the format on the drives, both' \
	  '                 ways, its udev, which must leave them alone, and SCSI, NVMe and virtio drives that are' \
	  '                 pulled and replaced (STORY=nbd|boot|drives|mdadm|udev)' \
	  'make bench       speed, as ratios to named programs in the same run' \
	  '                 (BENCH="--only engine --markdown" chooses; see bench/run.py)' \
	  'make deb         the Debian packages of this tree, in .run/deb/out' \
	  'make upgrade-test  agents and backends of this version and of the previous one, which is built from' \
	  '                 git, work together; the result is added to packaging/upgrade/ledger.jsonl' \
	  'make deb-check   that, and proves that they are reproducible and that lintian finds no error' \
	  'make deb-story   that, and the life of the backend package in a Debian 12 root; as root' \
	  'make journey     installs, enrolls, upgrades, removes and purges the packages on an emulated Debian 12' \
	  '                 machine that boots, with a mounted virtual drive (as root)' \
	  'make soak        a long run of the crash simulator, written through, behind the cache' \
	  '                 and by battery in turn, on and on (POINTS=1000000);' \
	  '                 what it did is added to agent/sim/ledger.jsonl' \
	  'make soak-fuzz   10,000,000 executions of each fuzz target, taken up again where' \
	  '                 agent/fuzz/ledger.jsonl ends' \
	  'make soak-lines  1,000,000 drawn command lines, taken up again where' \
	  '                 agent/tests/prop/ledger.jsonl ends' \
	  'make soak-drives 10,000 mixtures of drives of several generations, taken up again where' \
	  '                 agent/tests/prop/drives_ledger.jsonl ends' \
	  'make soak-host   2,000 kills and 300 power cuts of arrayd itself, taken up again where' \
	  '                 agent/tests/kill/ledger.jsonl ends' \
	  'make soak-hole  3,000 kills of RAID 5, 6, 50 and 60 with drives pulled under load, and 3,000 kills and' \
	  '                 power cuts with drives missing, taken up again where' \
	  '                 agent/tests/kill/hole_ledger.jsonl ends' \
	  'make soak-restarts  10,000 restarts of arrayd under clients that connect every millisecond,' \
	  '                 taken up again where agent/tests/kill/clients_ledger.jsonl ends' \
	  'make screenshots take the pictures of the README anew' \
  'make coverage    branches of the engine that its tests take, MC/DC of its state machines;' \
  '                 fails below the limits in agent/tools/coverage*.py' \
	  'make lint        formatters, linters, type checks' \
	  'make generate    rewrite everything derived from agent/protocol and the API' \
	  'make clean       remove what was built (not the demo)'

setup:
	@.ci/setup run

setup-test:
	@.ci/setup test

$(BUILD)/agent/build.ninja:
	@.ci/meson-setup $(BUILD)/agent --buildtype=debugoptimized

agent: setup-test $(BUILD)/agent/build.ninja
	@.ci/compile $(BUILD)/agent

frontend: setup
	@.ci/build-frontend

run:
	@.ci/build-demo
	@exec .run/venv/bin/python e2e/stack/demo.py --listen '$(LISTEN)'

demo-reset:
	@rm -rf .run/demo
	@echo 'The demo starts over at the next make run.'

test: setup-test
	@exec .run/venv/bin/python .ci/test.py $(ONLY)

# In a fresh Debian 12 root, by root with debootstrap. ONLY=run, ONLY=test, ONLY="test generated"
test-bare:
	@exec /usr/bin/python3 .ci/test-bare $(if $(CCACHE),--ccache) $(ONLY)

# Of the chains that are run in Debian 12 roots, too: by root with debootstrap. CHAIN=agent
test-documents: setup-test
	@exec .run/venv/bin/python .ci/run_documents.py --record $(if $(CCACHE),--ccache) $(CHAIN)

# The images of docker-compose.yml, by podman: by root, as .ci/test-images says.
test-images: setup-test
	@exec .run/venv/bin/python .ci/test-images

judge: setup-test agent
	@exec .ci/judge $(STORY)

soak-host: setup-test agent
	@ARRAYD=$(BUILD)/agent/src/daemon/arrayd ARRAYCTL=$(BUILD)/agent/src/cli/arrayctl \
	  LOSSYDRIVE=$(BUILD)/agent/tests/tools/lossydrive \
	  /usr/bin/python3 agent/tests/kill/long_run.py --ledger agent/tests/kill/ledger.jsonl

soak-restarts: setup-test agent
	@ARRAYD=$(BUILD)/agent/src/daemon/arrayd ARRAYCTL=$(BUILD)/agent/src/cli/arrayctl \
	  /usr/bin/python3 agent/tests/kill/restart_clients.py --restarts 500 --seconds 3600 \
	  --total 10000 --ledger agent/tests/kill/clients_ledger.jsonl

# Of what is installed, not of what is tested.
bench: setup-test
	@.ci/meson-setup $(BUILD)/agent-release --buildtype=release -Db_lto=true
	@ninja -C $(BUILD)/agent-release --quiet bench/engine_bench bench/cache_bench bench/closure_bench \
	  bench/mirror_bench bench/manage_bench src/daemon/arrayd src/cli/arrayctl src/lab/arraysim tests/e2e/nbd/nbd_ram_server
	@exec .run/venv/bin/python agent/bench/run.py --build $(BUILD)/agent-release $(BENCH)
	@$(BUILD)/agent-release/bench/mirror_bench

coverage:
	@.ci/setup coverage
	@python3 agent/tools/coverage.py --build $(BUILD)/agent-coverage --check
	@python3 agent/tools/coverage_mcdc.py --build $(BUILD)/agent-mcdc --check

POINTS ?= 1000000

soak: setup-test agent
	@python3 agent/sim/soak.py --program $(BUILD)/agent/sim/arraysim \
	  --battery $(BUILD)/agent/tests/unit/ctl/battery_lives --points $(POINTS)

soak-lines: setup-test agent
	@python3 agent/tests/prop/long_run.py lines --program $(BUILD)/agent/tests/prop/test_prop_command_lines

soak-hole: setup-test agent
	@ARRAYD=$(BUILD)/agent/src/daemon/arrayd ARRAYCTL=$(BUILD)/agent/src/cli/arrayctl \
	  LOSSYDRIVE=$(BUILD)/agent/tests/tools/lossydrive \
	  /usr/bin/python3 agent/tests/kill/long_run.py --hole 3000 \
	  --ledger agent/tests/kill/hole_ledger.jsonl

soak-drives: setup-test agent
	@python3 agent/tests/prop/long_run.py drives --program $(BUILD)/agent/tests/prop/test_prop_generations

soak-fuzz: setup-test
	@python3 agent/fuzz/long_run.py --build $(BUILD)/agent-fuzz

lint: setup-test
	@exec .run/venv/bin/python .ci/test.py lint

generate: setup-test
	@python3 agent/tools/generate_tables.py
	@python3 agent/tools/generate_fio_jobs.py
	@python3 agent/tools/generate_unsupported.py
	@.run/venv/bin/python backend/tools/generate_protocol.py
	@.run/venv/bin/python backend/tools/generate_settings.py
	@.run/venv/bin/python backend/tools/generate_german.py
	@.run/venv/bin/python backend/tools/generate_short_states.py
	@cd backend && ../.run/venv/bin/arraywright openapi > openapi.json
	@cd backend && ../.run/venv/bin/python -m arraywright.cli.man_page > arraywright.8
	@cd frontend && npm run --silent generate

upgrade-test: setup agent
	@exec /usr/bin/python3 packaging/upgrade/run.py

deb:
	@.ci/setup deb
	@packaging/build

deb-check: deb
	@exec /usr/bin/python3 packaging/tests/packages.py check

deb-story: deb
	@exec /usr/bin/python3 packaging/tests/packages.py story

journey:
	@for program in debootstrap qemu-system-x86_64 debugfs; do command -v $$program >/dev/null || \
	  { echo "make journey needs $$program" >&2; exit 1; }; done
	@.ci/setup deb
	@packaging/build --out .run/journey/packages
	@exec /usr/bin/python3 packaging/journey/journey.py --packages .run/journey/packages \
	  --ledger packaging/journey/ledger.jsonl

# Takes the README's pictures, and notes what the pages consisted of: e2e/stories/pictures.spec.ts
# compares that.
screenshots: setup-test
	@.ci/meson-setup $(BUILD)/agent --buildtype=debugoptimized
	@.ci/compile $(BUILD)/agent src/daemon/arrayd src/cli/arrayctl src/uplink/arraywright-uplink \
	  src/lab/arraysim
	@.ci/build-frontend
	@cd e2e && AW_TAKE_PICTURES=1 PLAYWRIGHT_JUNIT_OUTPUT_NAME=test-results/pictures.xml \
	  npx --no-install playwright test stories/pictures.spec.ts
	@echo 'Look at .github/screenshots before you commit them.'

clean:
	rm -rf $(BUILD) frontend/dist e2e/test-results e2e/playwright-report
