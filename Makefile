# Arraywright. `make run` and `make test` do everything on a fresh Debian 12 machine.

SHELL := /bin/bash
export PATH := $(CURDIR)/.tools/node/bin:$(PATH)

BUILD := .run/build
LISTEN ?= 127.0.0.1:8080

.PHONY: help run test judge bench coverage soak soak-fuzz soak-lines soak-drives soak-host soak-hole soak-restarts lint generate clean demo-reset setup setup-test agent frontend screenshots

help:
	@printf '%s\n' \
	  'make run         set up, build and start the backend and three demo hosts' \
	  '                 (LISTEN=ADDRESS:PORT listens elsewhere, then with TLS)' \
	  'make demo-reset  forget the demo: its drives, database and login' \
	  'make test        set up and run every test; ONLY="backend ..." only these steps of it.' \
  '                 What is drawn anew in each run comes from a seed that is printed, and again' \
  '                 with what failed: AW_FRESH_SEED=N repeats it' \
	  'make judge       of make test only the step with a stock kernel under QEMU: over a virtual' \
	  '                 drive while arrayd is restarted, its mdadm over the format on the drives, both' \
	  '                 ways, its udev, which must leave them alone, and SCSI, NVMe and virtio drives that are' \
	  '                 pulled and replaced (STORY=nbd|boot|drives|mdadm|udev)' \
	  'make bench       speed, as ratios to named programs in the same run' \
	  '                 (BENCH="--only engine --markdown" chooses; see bench/run.py)' \
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
	  'make soak-hole  3,000 kills and power cuts of RAID 5, 6, 50 and 60 with drives missing, taken up' \
	  '                 again where agent/tests/kill/hole_ledger.jsonl ends' \
	  'make soak-restarts  10,000 restarts of arrayd under clients that connect every millisecond,' \
	  '                 taken up again where agent/tests/kill/clients_ledger.jsonl ends' \
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

agent: setup $(BUILD)/agent/build.ninja
	@ninja -C $(BUILD)/agent --quiet

frontend: setup
	@.ci/build-frontend

run: agent frontend
	@exec .run/venv/bin/python e2e/stack/demo.py --listen '$(LISTEN)'

demo-reset:
	@rm -rf .run/demo
	@echo 'The demo starts over at the next make run.'

test: setup-test
	@exec .run/venv/bin/python .ci/test.py $(ONLY)

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
	  bench/mirror_bench src/daemon/arrayd src/cli/arrayctl src/lab/arraysim tests/e2e/nbd/nbd_ram_server
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
	@.run/venv/bin/python backend/tools/generate_protocol.py
	@cd backend && ../.run/venv/bin/arraywright openapi > openapi.json
	@cd frontend && npm run --silent generate

# Takes the README's pictures from the demo that runs in another terminal.
screenshots: setup-test
	@cd e2e && node screenshots.mjs http://127.0.0.1:8080 ../.run/demo/backend/admin-password

clean:
	rm -rf $(BUILD) frontend/dist e2e/test-results e2e/playwright-report
