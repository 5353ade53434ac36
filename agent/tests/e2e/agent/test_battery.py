"""Batteries of the real arrayd: an emulated pack, a UPS behind a real NUT server."""

import json
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import ups_harness
from harness import ARRAYD, Agent, Refused, wait_for

PROFILES = Path(__file__).resolve().parents[3] / "profiles"


def emulated(profile="lsi-ibbu01", speed=1, controller="native"):
    return (f'profile = "{controller}"; profiles_dir = "{PROFILES}";\n'
            f'battery = {{ source = "emulated"; profile = "{profile}"; speed = {speed}; }};')


def ups(address, settle_s=1):
    return (f'battery = {{ source = "ups"; ups = "{address}"; poll_s = 1; '
            f"settle_s = {settle_s}; shutdown_s = 30; }};")


def battery(view, key="c0-bbu"):
    return view.all("battery").get(key)


def properties(answer, group):
    return {row["Property"]: row["Value"] for row in answer["Response Data"][group]}


class BatteryCase(unittest.TestCase):
    def agent(self, **options):
        agent = Agent(**options)
        self.addCleanup(agent.close)
        return agent

    def battery_until(self, agent, what, check, key="c0-bbu"):
        agent.until(what, lambda view: battery(view, key) and check(battery(view, key)))
        return battery(agent.view(), key)

    def command(self, agent, op, **args):
        with agent.control() as control:
            return control.command(op, {"battery": "c0-bbu", **args})

    def events(self, agent):
        with agent.control() as control:
            return control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]

    def event_names(self, agent):
        return [event["name"] for event in self.events(agent)]

    def events_until(self, agent, **counts):
        """Events are read when they are durable, a moment after the state has changed."""
        wait_for(f"the events {counts}", lambda: all(
            self.event_names(agent).count(name) >= count for name, count in counts.items()))
        names = self.event_names(agent)
        self.assertEqual({name: names.count(name) for name in counts}, counts)


class Emulated(BatteryCase):
    def test_faults_and_their_end(self):
        with self.agent(slots=2, config=emulated()) as agent:
            agent.create("raid1", [0, 1], write_policy="write_back")
            doc = self.battery_until(agent, "the battery to be ready",
                                     lambda doc: doc["state"] == "optimal")
            self.assertTrue(doc["smart"] and doc["emulated"])
            self.assertEqual(doc["charge_percent"], 100)
            self.assertEqual(doc["retention_s"], 72 * 3600)
            for fault, state in [("fail", "failed"), ("remove", "missing"),
                                 ("overheat", "degraded"), ("wear_out", "degraded"),
                                 ("power_off", "discharging"), ("low_charge", "low")]:
                self.command(agent, "battery_fault", fault=fault)
                doc = battery(agent.view())
                self.assertEqual((doc["state"], doc["faults"]), (state, [fault]))
                self.assertFalse(doc["protects"])
                self.assertEqual(agent.view().all("controller")["c0"]["battery"], state)
                # Until there is cache memory, that is the reason, whatever the battery says.
                policy = agent.view().vd()["write_policy"]
                self.assertEqual(policy["requested"], "write_back")
                self.assertEqual(policy["effective"], "write_through")
                self.command(agent, "battery_fault", fault="clear")
            self.events_until(agent, battery_fault_injected=12, battery_failed=1,
                              battery_removed=1, battery_capacity_low=1,
                              battery_temperature_high=1, battery_replace=1,
                              battery_discharging=1)

    def test_a_learn_cycle_from_the_command_line(self):
        # An hour a second: the cycle of about nine hours takes as many seconds.
        with self.agent(slots=2, config=emulated(speed=3600)) as agent:
            answer = agent.json("/c0/bbu", "start", "learn")
            self.assertEqual(answer["Command Status"]["Status"], "Success")
            again = agent.json("/c0/bbu", "start", "learn", check=False)
            self.assertEqual(again["Command Status"]["Status"], "Failure")
            self.battery_until(agent, "the learn cycle", lambda doc: doc["state"] == "learning")
            doc = self.battery_until(agent, "its end",
                                     lambda doc: doc["learn"]["last_result"] is not None)
            self.assertEqual(doc["learn"]["last_result"], "passed")
            self.assertEqual(doc["cycle_count"], 1)
            agent.stop()
            agent.start()
            doc = self.battery_until(agent, "the battery", lambda doc: doc["state"] == "optimal")
            self.assertEqual(doc["cycle_count"], 1)
            self.events_until(agent, learn_started=1, learn_completed=1)

    def test_learn_settings(self):
        with self.agent(slots=2, config=emulated()) as agent:
            agent.ctl("/c0/bbu", "set", "autolearnmode=2")
            self.assertEqual(battery(agent.view())["learn"]["mode"], "warn")
            before = battery(agent.view())["learn"]["next_at_us"]
            agent.ctl("/c0/bbu", "set", "learnDelayInterval=24")
            self.assertEqual(battery(agent.view())["learn"]["next_at_us"] - before,
                             24 * 3600 * 1000000)
            # It is the delay, and not once more of it.
            for hours in (24, 30, 0):
                agent.ctl("/c0/bbu", "set", f"learnDelayInterval={hours}")
                self.assertEqual(battery(agent.view())["learn"]["next_at_us"] - before,
                                 hours * 3600 * 1000000)
                shown = properties(agent.json("/c0/bbu", "show", "properties"), "BBU_Properties")
                self.assertEqual(shown["Learn Delay Interval"], f"{hours} hour(s)")
            agent.ctl("/c0/bbu", "set", 'learnStartTime="2035/05/06 07"')
            shown = properties(agent.json("/c0/bbu", "show", "properties"), "BBU_Properties")
            self.assertTrue(shown["Next Learn time"].startswith("2035/05/06  07:00:00 ("), shown)
            self.assertEqual(shown["Auto-Learn Mode"], "Warn via Event")
            self.assertEqual(shown["Auto Learn Period"], "28d (2419200 seconds)")
            agent.ctl("/c0/bbu", "set", "autolearnmode=1")
            for wrong in ("learnDelayInterval=169", "learnDelayInterval=x", "autolearnmode=9",
                          "learnStartTime=tomorrow", "fault=rain", "learnDelayInterval=1"):
                self.assertNotEqual(agent.ctl("/c0/bbu", "set", wrong, check=False).returncode, 0)
            with self.assertRaises(Refused) as caught:
                self.command(agent, "battery_learn")
            self.assertEqual(caught.exception.code, "learn_disabled")
            agent.stop()
            agent.start()
            self.assertEqual(battery(agent.view())["learn"]["mode"], "disabled")

    def test_a_plain_pack_and_the_controllers_rule(self):
        config = emulated("lsi-bbu03", controller="lsi-megaraid-sata-300-8x")
        with self.agent(slots=4, config=config) as agent:
            doc = self.battery_until(agent, "the battery", lambda doc: doc["state"] == "optimal")
            self.assertFalse(doc["smart"])
            self.assertIsNone(doc["charge_percent"])
            self.assertIsNone(doc["learn"])
            self.assertEqual(doc["state_reason"]["code"], "battery_present")
            controller = agent.view().all("controller")["c0"]
            self.assertEqual(controller["profile"], "lsi-megaraid-sata-300-8x")
            self.assertEqual(controller["model"], "LSI MegaRAID SATA 300-8X")
            self.assertEqual(controller["no_battery_rule"], "revert")
            self.assertNotIn("raid6", [rule["level"] for rule in controller["levels"]])
            with self.assertRaises(Refused) as caught:
                agent.create("raid6", [0, 1, 2, 3])
            self.assertEqual(caught.exception.code, "level_unsupported")
            with self.assertRaises(Refused) as caught:
                self.command(agent, "battery_learn")
            self.assertEqual(caught.exception.code, "learn_unsupported")

    def test_a_controller_that_refuses(self):
        config = f'profile = "promise-supertrak-ex8650"; profiles_dir = "{PROFILES}";'
        with self.agent(slots=2, config=config) as agent:
            with self.assertRaises(Refused) as caught:
                agent.create("raid1", [0, 1], write_policy="write_back")
            self.assertEqual(caught.exception.code, "write_policy_refused")
            agent.create("raid1", [0, 1])
            self.assertEqual(agent.view().all("battery"), {})


class WithCache(BatteryCase):
    """A cache in shared memory is as good as what keeps it alive."""

    def setUp(self):
        memory = Path("/dev/shm")
        folder = tempfile.TemporaryDirectory(prefix="aw-battery-",
                                             dir=memory if memory.is_dir() else None)
        self.addCleanup(folder.cleanup)
        self.cache = (f'\ncache = {{ medium = "shared-memory"; path = "{folder.name}/cache"; '
                      'size = "16 MiB"; };')

    def policy(self, agent):
        policy = agent.view().vd()["write_policy"]
        return policy["effective"], policy["reason"]["code"]

    def policy_until(self, agent, effective, code):
        wait_for(f"{effective} ({code})", lambda: self.policy(agent) == (effective, code))

    def dirty_bytes(self, agent):
        return agent.view().all("controller")["c0"]["cache"]["dirty_bytes"]

    def test_without_a_battery_it_is_not_used_for_write_back(self):
        with self.agent(slots=2, config=self.cache) as agent:
            agent.create("raid1", [0, 1], write_policy="write_back")
            self.policy_until(agent, "write_through", "write_policy_no_battery")
            with agent.control() as control:
                control.command("vd_set", {"virtual_drive": agent.view().vd_key(),
                                           "write_policy": "always_write_back"})
            self.policy_until(agent, "always_write_back", "write_policy_forced")
            self.events_until(agent, write_back_lowered=1, write_back_forced=1)

    def test_write_back_follows_an_emulated_battery(self):
        with self.agent(slots=2, config=emulated() + self.cache) as agent:
            agent.create("raid1", [0, 1], write_policy="write_back")
            self.policy_until(agent, "write_back", "as_requested")
            self.assertTrue(battery(agent.view())["protects"])
            with agent.nbd() as handle:
                handle.pwrite(b"\x11" * 65536, 0)
                self.command(agent, "battery_fault", fault="fail")
                self.assertEqual(self.policy(agent),
                                 ("write_through", "write_policy_battery_failed"))
                wait_for("the cache to be written out", lambda: self.dirty_bytes(agent) == 0)
                handle.pwrite(b"\x22" * 65536, 65536)
                self.command(agent, "battery_fault", fault="clear")
                self.policy_until(agent, "write_back", "as_requested")
                self.assertEqual(bytes(handle.pread(131072, 0)),
                                 b"\x11" * 65536 + b"\x22" * 65536)
            self.events_until(agent, write_back_lowered=1, write_back_restored=1)

    def test_a_models_memory_has_its_size(self):
        config = f'profile = "lsi-megaraid-sas-9210-8i"; profiles_dir = "{PROFILES}";'
        agent = self.agent(slots=1, config=config + self.cache)
        self.assertIn("LSI MegaRAID SAS 9210-8i has no cache", agent.fail_to_start())
        config = f'profile = "lsi-megaraid-sata-300-8x"; profiles_dir = "{PROFILES}";'
        agent = self.agent(slots=1, config=config + self.cache.replace("16 MiB", "129 MiB"))
        self.assertIn("takes a cache of at most 134217728 bytes", agent.fail_to_start())

    @unittest.skipIf(ups_harness.why_not(), ups_harness.why_not())
    def test_a_ups_bounds_what_is_dirty_and_ends_write_back(self):
        server = ups_harness.Ups()
        self.addCleanup(server.__exit__)
        server.__enter__()
        with self.agent(slots=2, config=ups(server.address) + self.cache) as agent:
            agent.create("raid1", [0, 1], write_policy="write_back")
            self.policy_until(agent, "write_back", "as_requested")
            # Two seconds are left: half of what the drives take in those.
            server.set(battery_runtime=152)
            wait_for("the UPS's limit", lambda: agent.view().all("controller")["c0"]["cache"]
                     ["dirty_limit_reason"]["code"] == "dirty_limit_ups")
            with agent.nbd() as handle:
                handle.pwrite(b"\x33" * 65536, 0)
                server.set(ups_status="OB DISCHRG", battery_runtime=900)
                self.policy_until(agent, "write_through", "write_policy_on_battery")
                server.set(ups_status="OB LB DISCHRG", battery_runtime=100)
                self.policy_until(agent, "write_through", "write_policy_battery_low")
                wait_for("the cache to be written out", lambda: self.dirty_bytes(agent) == 0)
                handle.pwrite(b"\x44" * 65536, 65536)
                server.set(ups_status="OL", battery_runtime=3600)
                self.policy_until(agent, "write_back", "as_requested")
                server.stop_server()
                self.policy_until(agent, "write_through", "write_policy_ups_silent")
                self.assertEqual(bytes(handle.pread(131072, 0)),
                                 b"\x33" * 65536 + b"\x44" * 65536)


class CommandLine(BatteryCase):
    def test_every_group_of_storcli(self):
        with self.agent(slots=2, config=emulated()) as agent:
            self.battery_until(agent, "the battery", lambda doc: doc["state"] == "optimal")
            every = agent.json("/c0/bbu", "show", "all")
            self.assertEqual(list(every["Response Data"]),
                             ["BBU_Info", "BBU_Firmware_Status", "GasGaugeStatus",
                              "BBU_Capacity_Info", "BBU_Design_Info", "BBU_Properties"])
            info = properties(every, "BBU_Info")
            self.assertEqual(info, {"Type": "LSIiBBU01", "Voltage": "3700 mV", "Current": "0 mA",
                                    "Temperature": "25 C", "Battery State": "Optimal"})
            status = properties(every, "BBU_Firmware_Status")
            self.assertEqual(list(status), [
                "Charging Status", "Voltage", "Temperature", "Learn Cycle Requested",
                "Learn Cycle Active", "Learn Cycle Status", "Learn Cycle Timeout",
                "I2C Errors Detected", "Battery Pack Missing", "Replacement required",
                "Remaining Capacity Low", "Periodic Learn Required", "Transparent Learn",
                "No space to cache offload", "Pack is about to fail & should be replaced",
                "Cache Offload premium feature required", "Module microcode update required"])
            self.assertEqual(properties(every, "GasGaugeStatus")["Relative State of Charge"],
                             "100%")
            design = properties(every, "BBU_Design_Info")
            self.assertEqual(design["Design Voltage"], "3700 mV")
            self.assertEqual(design["Manufacture Name"], "LSI")
            short = agent.json("/c0", "/bbu", "show", "status")
            self.assertEqual(list(short["Response Data"]),
                             ["BBU_Info", "BBU_Firmware_Status", "GasGaugeStatus"])
            modes = agent.json("/c0/bbu", "show", "modes")["Response Data"]["BBU_Modes"]
            self.assertEqual(modes[0]["Retention"], "72 hours +")
            wrong = agent.json("/c0/cv", "show", "all", check=False)
            self.assertEqual(wrong["Command Status"]["Status"], "Failure")
            self.assertEqual(wrong["Command Status"]["Detailed Status"],
                             [{"Ctrl": 0, "Status": "Failed", "Property": "-",
                               "ErrMsg": "use /cx/bbu", "ErrCd": 255}])
            self.assertIn("BBU_Info", agent.ctl("/c0/bbu", "show", "all").stdout)

    def test_time_to_full(self):
        """As long as the pack is charged at the current of now; from half of what is low."""
        row = "Estimated time to full recharge"
        with self.agent(slots=2, config=emulated()) as agent:
            self.battery_until(agent, "the battery", lambda doc: doc["state"] == "optimal")
            self.assertEqual(properties(agent.json("/c0/bbu", "show", "all"),
                                        "BBU_Capacity_Info")[row], "Battery is not being charged.")
            self.command(agent, "battery_fault", fault="low_charge")
            self.command(agent, "battery_fault", fault="clear")
            charged = self.battery_until(agent, "charging", lambda doc: doc["current_ma"] > 0)
            shown = properties(agent.json("/c0/bbu", "show", "all"), "BBU_Capacity_Info")
            self.assertLess(charged["charge_percent"], 15)
            hours, minutes = map(int, re.fullmatch(r"(\d+) hours (\d+) min", shown[row]).groups())
            whole_s = json.loads((PROFILES / "batteries/lsi-ibbu01.json").read_text())["charge_s"]
            self.assertAlmostEqual(hours * 60 + minutes,
                                   whole_s / 60 * (1 - charged["charge_percent"] / 100), delta=5)

    def test_the_controllers_own_lines(self):
        with self.agent(slots=2, config=emulated()) as agent:
            self.battery_until(agent, "the battery", lambda doc: doc["state"] == "optimal")
            every = agent.json("/c0", "show", "all")["Response Data"]
            self.assertEqual(every["Status"]["BBU Status"], 0)
            self.assertEqual(every["HwCfg"]["BBU"], "Present")
            row = every["BBU_Info"][0]
            self.assertEqual((row["Model"], row["State"], row["RetentionTime"], row["Temp"]),
                             ("LSIiBBU01", "Optimal", "72 hours +", "25C"))
            overview = agent.json("show")["Response Data"]["System Overview"][0]
            self.assertEqual(overview["BBU"], "Opt")
            self.command(agent, "battery_fault", fault="remove")
            every = agent.json("/c0", "show", "all")["Response Data"]
            self.assertEqual(every["Status"]["BBU Status"], 1)
            self.assertEqual(every["BBU_Info"][0]["State"], "Missing")

    def test_a_persistent_medium_is_a_cache_vault(self):
        with self.agent(slots=2, config='battery = { source = "medium"; };') as agent:
            every = agent.json("/c0/cv", "show", "all")
            self.assertEqual(list(every["Response Data"]),
                             ["Cachevault_Info", "Firmware_Status", "GasGaugeStatus",
                              "Design_Info", "Properties"])
            wrong = agent.json("/c0/bbu", "show", check=False)
            self.assertEqual(wrong["Command Status"]["Detailed Status"][0]["ErrMsg"], "use /cx/cv")
            with self.assertRaises(Refused) as caught, agent.control() as control:
                control.command("battery_learn", {"battery": "c0-cv"})
            self.assertEqual(caught.exception.code, "battery_is_persistent")
            self.assertIn("Cachevault_Info", agent.json("/c0", "show")["Response Data"])

    def test_without_a_battery(self):
        with self.agent(slots=2) as agent:
            for what, text in (("bbu", "Battery is absent!"), ("cv", "Cachevault is absent!")):
                answer = agent.json(f"/c0/{what}", "show", "all", check=False)
                self.assertEqual(answer["Command Status"]["Detailed Status"][0]["ErrMsg"], text)
            self.assertEqual(agent.json("/c0", "show", "all")["Response Data"]["Status"]
                             ["BBU Status"], "NA")


class Configuration(BatteryCase):
    def check(self, config):
        agent = self.agent(slots=1, config=config)
        return subprocess.run([ARRAYD, "--check-config", "--config", str(agent.config_path)],
                              capture_output=True, text=True, check=False)

    def test_mistakes_are_told_with_their_line(self):
        good = self.check(emulated())
        self.assertEqual(good.returncode, 0, good.stderr)
        for config, words in [
                (emulated("no-such"), ['battery profile "no-such"', "there is no such profile"]),
                (emulated(controller="no-such"), ['profile "no-such"', "no such profile"]),
                (emulated(controller="lsi-megaraid-sas-9210-8i"),
                 ["LSI MegaRAID SAS 9210-8i has no cache for a battery"]),
                (emulated("lsi-ibbu07", controller="lsi-megaraid-sata-300-8x"),
                 ['does not take the battery "lsi-ibbu07"']),
                ('battery = { source = "ups"; };', ["NAME@HOST:PORT"])]:
            answer = self.check(config)
            self.assertNotEqual(answer.returncode, 0, config)
            self.assertRegex(answer.stderr, r"arrayd\.conf:\d+: ")
            for word in words:
                self.assertIn(word, answer.stderr)


@unittest.skipIf(ups_harness.why_not(), ups_harness.why_not())
class RealUps(BatteryCase):
    def start(self, settle_s=1):
        server = ups_harness.Ups()
        self.addCleanup(server.__exit__)
        server.__enter__()
        agent = self.agent(slots=2, config=ups(server.address, settle_s))
        agent.start()
        return server, agent

    def state_until(self, agent, state, reason=None):
        return self.battery_until(
            agent, f"the UPS to be {state}",
            lambda doc: doc["state"] == state and
            reason in (None, doc["state_reason"]["code"]))

    def test_what_it_says_is_shown(self):
        server, agent = self.start()
        doc = self.state_until(agent, "optimal")
        self.assertEqual((doc["kind"], doc["source"]), ("ups", server.address))
        self.assertEqual((doc["model"], doc["manufacturer"], doc["serial"]),
                         ("Test UPS", "Dummy", "DU-1"))
        self.assertEqual((doc["charge_percent"], doc["left_s"], doc["low_left_s"],
                          doc["voltage_mv"]), (100, 3600, 120, 27100))
        with self.assertRaises(Refused) as caught:
            self.command(agent, "battery_learn")
        self.assertEqual(caught.exception.code, "learn_unsupported")
        with self.assertRaises(Refused) as caught:
            self.command(agent, "battery_fault", fault="fail")
        self.assertEqual(caught.exception.code, "battery_not_emulated")
        self.assertEqual(properties(agent.json("/c0/bbu", "show"), "BBU_Info")["Battery State"],
                         "Optimal")

    def test_a_power_failure_from_its_beginning_to_its_end(self):
        server, agent = self.start()
        agent.create("raid1", [0, 1], write_policy="write_back")
        self.state_until(agent, "optimal")
        server.set(ups_status="OB DISCHRG", battery_runtime=900, battery_charge=70)
        self.state_until(agent, "discharging")
        server.set(ups_status="OB LB DISCHRG", battery_runtime=100, battery_charge=15)
        self.state_until(agent, "low", "battery_charge_low")
        with agent.nbd() as handle:
            handle.pwrite(b"\x5a" * 65536, 0)  # the host still writes
            handle.flush()
        server.set(ups_status="OL CHRG", battery_runtime=400, battery_charge=30)
        self.state_until(agent, "optimal")
        self.events_until(agent, ups_on_battery=1, battery_capacity_low=1, ups_on_mains=1)

    def test_forced_shutdown_and_worn_battery(self):
        server, agent = self.start()
        self.state_until(agent, "optimal")
        server.set(ups_status="OL RB")
        self.state_until(agent, "failed", "battery_replace")
        server.set(ups_status="OB FSD")
        self.battery_until(agent, "the announced end",
                           lambda doc: doc["state_reason"]["code"] == "battery_forced_shutdown")

    def test_a_server_that_goes_and_comes_back(self):
        server, agent = self.start()
        self.state_until(agent, "optimal")
        server.stop_server()
        self.state_until(agent, "unknown", "battery_silent")
        server.start_server()
        self.state_until(agent, "optimal")
        self.events_until(agent, ups_back=1)
        server.stop_driver()
        self.state_until(agent, "unknown", "battery_driver_gone")
        server.start_driver()
        self.state_until(agent, "optimal")
        self.events_until(agent, ups_silent=2, ups_back=2)

    def test_stale_figures_are_no_figures(self):
        server, agent = self.start()
        self.state_until(agent, "optimal")
        server.freeze_driver()
        self.state_until(agent, "unknown", "battery_stale")
        server.thaw_driver()
        self.state_until(agent, "optimal")

    def test_a_frozen_server_holds_up_nobody(self):
        server, agent = self.start()
        self.state_until(agent, "optimal")
        server.freeze_server()
        self.addCleanup(server.thaw_server)
        self.state_until(agent, "unknown", "battery_silent")
        before = time.monotonic()
        agent.create("raid1", [0, 1])
        self.assertLess(time.monotonic() - before, 10)
        before = time.monotonic()
        agent.stop()
        self.assertLess(time.monotonic() - before, 15)

    def test_a_flapping_ups_makes_no_storm(self):
        server, agent = self.start(settle_s=20)
        self.state_until(agent, "optimal")
        for _ in range(5):
            server.set(ups_status="OB DISCHRG")
            time.sleep(1.2)
            server.set(ups_status="OL")
            time.sleep(1.2)
        names = self.event_names(agent)
        self.assertLessEqual(names.count("ups_on_battery"), 1)
        self.assertEqual(names.count("ups_on_mains"), 0)

    def test_a_ups_nobody_knows(self):
        with self.agent(slots=1, config=ups("nobody@127.0.0.1:1")) as agent:
            self.state_until(agent, "unknown", "battery_silent")
            wait_for("the event", lambda: "ups_silent" in self.event_names(agent))


if __name__ == "__main__":
    unittest.main()
