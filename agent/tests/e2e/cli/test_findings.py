"""One truth of health: whatever state a host is in, its status, findings, command line and metrics
say the same. The findings of these states are kept in golden/findings.json, from which the
backend's tests make alerts."""

import json
import os
import re
import unittest
from pathlib import Path

import in_memory
from cases import AgentCase
from exposition import families
from harness import EID, MIB
from states import PROFILES, STATES, Scene, configured, degraded, healthy, idle

in_memory.use()

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = Path(__file__).parent / "golden" / "findings.json"
WORDS = json.loads((ROOT / "protocol" / "words.json").read_text())
KINDS = {row["code"]: row for row in WORDS["findings"]}
STATUSES = WORDS["enums"]["controller_status"]
SHOWN = {"optimal": "Optimal", "needs_attention": "Needs Attention", "degraded": "Degraded",
         "failed": "Failed"}
BAD_STATES = {"virtual_drive": {"degraded", "partially_degraded", "offline"},
              "drive": {"failed", "offline", "unconfigured_bad"},
              "battery": {"low", "degraded", "failed", "missing", "unknown", "charging",
                          "discharging"}}
SLOT = f"/c0/e{EID}/s"


def battery_breaks(agent, fault="fail", code="battery_failed"):
    with agent.control() as control:
        key = next(iter(control.view().all("battery")))
        control.command("battery_fault", {"battery": key, "fault": fault})
    agent.until(code, lambda view: code in {each["code"] for each in findings(view)})


def degraded_without_battery(scene):
    degraded(scene)
    agent = scene.agents[0]
    agent.ctl("/c0/v0", "set", "wrcache=wb")
    battery_breaks(agent, "remove", "battery_missing")
    agent.fault(3, "pull")
    agent.until("the spare to be missed", lambda view: not view.drive(3)["present"])


def forced_without_battery(scene):
    healthy(scene)
    agent = scene.agents[0]
    agent.ctl("/c0/v0", "set", "wrcache=awb")
    battery_breaks(agent)
    agent.fault(4, "pull")
    agent.until("the loss", lambda view: view.vd("logs")["state"] == "degraded")


def offline_with_a_spare(scene):
    healthy(scene)
    agent = scene.agents[0]
    agent.ctl("/c0", "set", "autorebuild=off")
    for slot in (0, 1):
        agent.fault(slot, "pull")
    agent.until("the loss", lambda view: view.vd()["state"] == "offline")
    battery_breaks(agent)


def journal_gone(scene):
    """While a drive is away."""
    folder = Path(scene.folder("/var/tmp"))
    agent = scene.add(config=f'profile = "native";\nprofiles_dir = "{PROFILES}";\ncache = {{ '
                             f'medium = "log"; path = "{folder}/log"; size = "32 MiB"; }};\n')
    agent.create("raid5", [0, 1, 2], write_policy="write_back")
    agent.until("everything to be consistent", idle)
    agent.ctl("/c0", "set", "glitchtime=0")
    agent.fault(1, "pull")
    agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
    (folder / "log").unlink()

    def failed(view):
        with agent.nbd() as disk:
            disk.pwrite(bytes(1 << 20), 0)
            disk.flush()
        return "cache_failed" in {each["code"] for each in findings(view)}

    agent.until("the finding", failed)


def stripe_of_an_offline_member(scene):
    agent = scene.add()
    agent.create("raid0", [0], name="w0")
    agent.create("raid1", [1, 2], name="w1")
    agent.until("everything to be consistent", idle)
    with agent.control() as control:
        view = control.view()
        control.command("stripe_create", {"name": "wide", "virtual_drives": [
            view.vd_key("w0"), view.vd_key("w1")]})
    agent.ctl(f"{SLOT}3", "add", "hotsparedrive")
    agent.ctl("/c0", "set", "glitchtime=0")
    agent.fault(3, "pull")
    agent.fault(1, "pull")
    agent.fault(0, "pull")
    agent.until("the loss", lambda view: view.vd("w0")["state"] == "offline"
                and view.vd("w1")["state"] == "degraded")


# Several things at once: drives, groups, battery, cache and spares.
MIXED = {each.__name__.replace("_", "-"): each for each in (
    degraded_without_battery, forced_without_battery, offline_with_a_spare, journal_gone,
    stripe_of_an_offline_member)}


def findings(view):
    """Of the host and of all controllers."""
    return [finding for kind in ("host", "controller") for doc in view.all(kind).values()
            for finding in doc["findings"]]


def sentence(finding):
    parts = (finding[part] for part in ("what", "cause", "effect", "remedy"))
    return " ".join(part["text"] for part in parts if part is not None)


def without_what_differs(view):
    """What the backend needs to open alerts, as it is in every run."""
    text = json.dumps([{"kind": item["kind"], "key": item["key"], "findings": item["doc"]["findings"],
                        **({"status": item["doc"]["status"]} if "status" in item["doc"] else {})}
                       for item in sorted(view.items, key=lambda item: (item["kind"], item["key"]))
                       if item["kind"] in ("host", "controller")])
    names = {}  # of drives and of virtual drives, which have one key each
    text = re.sub(r"EM[0-9A-F]{12}\b|\b[0-9a-f]{48}\b",
                  lambda found: f"id{names.setdefault(found[0], len(names))}", text)
    text = re.sub(r"/[\w/]+/aw-\w+/", "/folder/", text)
    text = re.sub(r'"since_us": \d+', '"since_us": 1', text)
    return json.loads(text)


class Findings(AgentCase):
    maxDiff = None

    def agrees(self, agent):
        """The picture of a moment at which nothing changes; its findings."""
        before = None
        while True:
            view = agent.view()
            status = agent.ctl("/c0", "status").stdout
            health = agent.json("/c0", "show", "health")["Response Data"]
            metrics = agent.ctl("metrics").stdout
            again = agent.view()
            if view.of("c0").items == again.of("c0").items or before == findings(again):
                break
            before = findings(again)
        listed = findings(view)
        ids = [(each["code"], each["kind"], each["key"]) for each in listed]
        self.assertEqual(len(ids), len(set(ids)), ids)
        for each in listed:
            self.assertEqual((each["kind"], each["severity"]),
                             (KINDS[each["code"]]["kind"], KINDS[each["code"]]["severity"]))
            self.assertGreater(each["since_us"], 0)
            self.assertNotIn("?", sentence(each))
        own = [KINDS[each["code"]]["status"] for each in listed if each["kind"] != "host"]
        worst = max(own, key=STATUSES.index, default="optimal")
        (controller,) = view.all("controller").values()
        self.assertEqual(controller["status"], worst)
        # The command line and the metrics
        self.assertEqual(health["Controller Status"], SHOWN[worst])
        self.assertEqual({(row["Object"], row["Code"]) for row in health["Health"]},
                         {(each["path"], each["code"]) for each in listed})
        self.assertRegex(status, rf"\A/c0  .*: {SHOWN[worst]} ")
        self.assertEqual(sorted(line for line in status.splitlines() if line.startswith("! ")),
                         sorted(f"! {each['path']}: {sentence(each)}" for each in listed))
        series = [dict(labels) for _, labels in families(metrics)["arraywright_finding"].samples]
        names = ("code", "severity", "kind", "key", "path")
        self.assertEqual(sorted(tuple(labels[name] for name in names) for labels in series),
                         sorted(tuple(each[name] for name in names) for each in listed))
        # No state without a finding
        told = {(each["kind"], each["key"]) for each in listed}
        for kind, states in BAD_STATES.items():
            for key, doc in view.all(kind).items():
                usable = doc.get("unsuitable") is None
                if doc["state"] in states and usable:
                    self.assertIn((kind, key), told, doc["state"])
                    self.assertIn("What is wrong: ", agent.ctl("explain", doc["path"]).stdout)
        return listed

    def codes(self, agent):
        return {each["code"] for each in self.agrees(agent)}

    def the(self, agent, code):
        return next(each for each in self.agrees(agent) if each["code"] == code)

    # Tables

    def test_states_of_a_controller(self):
        kept = {}
        for name, make in {**STATES, **MIXED}.items():
            if name == "two-controllers":
                continue
            with self.subTest(name), Scene() as scene:
                make(scene)
                self.agrees(scene.agents[0])
                kept[name] = without_what_differs(scene.agents[0].view())
        if os.environ.get("UPDATE_GOLDEN"):
            GOLDEN.write_text(json.dumps(kept, indent=1) + "\n")
        self.assertEqual(kept, json.loads(GOLDEN.read_text()),
                         "if this is meant, UPDATE_GOLDEN=1 writes it anew")

    def test_every_fault_of_a_battery(self):
        with self.agent(slots=2, config=configured(self.folder())) as agent:
            agent.create("raid1", [0, 1], write_policy="write_back")
            battery = lambda view: next(iter(view.all("battery").items()))
            agent.until("a charged battery", lambda view: battery(view)[1]["state"] == "optimal")
            for fault, code in (("fail", "battery_failed"), ("remove", "battery_missing"),
                                ("low_charge", "battery_not_ready"), ("overheat", "battery_not_ready"),
                                ("wear_out", "battery_not_ready")):
                with self.subTest(fault), agent.control() as control:
                    key = battery(control.view())[0]
                    control.command("battery_fault", {"battery": key, "fault": fault})
                    agent.until(code, lambda view, code=code: code in
                                {each["code"] for each in findings(view)})
                    self.assertIn("write_policy_lowered", self.codes(agent))
                    control.command("battery_fault", {"battery": key, "fault": "clear"})
                    agent.until("its end", lambda view: not {
                        "battery_failed", "battery_missing", "battery_not_ready"} &
                        {each["code"] for each in findings(view)})

    def folder(self):
        path = Path(self.agent(slots=0).directory) / "cache"
        path.mkdir()
        return path

    # Reproductions

    def test_lost_blocks_are_told(self):
        with self.agent(slots=4) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(1, "media_error", lba=50000, count=8)
            agent.ctl(f"{SLOT}2", "add", "hotsparedrive")
            agent.ctl("/c0", "set", "glitchtime=0")
            agent.fault(0, "pull")
            agent.until("the rebuild's end", lambda view: view.vd()["state"] == "optimal"
                        and view.vd()["bad_block_count"] > 0)
            for _ in range(2):
                finding = self.the(agent, "virtual_drive_lost_blocks")
                self.assertEqual(finding["severity"], "critical")
                self.assertIn("/c0/v0 show badblocks", finding["remedy"]["text"])
                self.assertIn("has unreadable or lost blocks",
                              agent.ctl("explain", "/c0/v0").stdout)
                self.assertIn("/c0  Arraywright: Needs Attention", agent.ctl("status").stdout)
                agent.stop()
                agent.start()

    def test_a_pulled_drive_is_told_after_its_spare_took_over(self):
        with self.agent(slots=4) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl(f"{SLOT}3", "add", "hotsparedrive")
            agent.ctl("/c0", "set", "glitchtime=0")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            self.assertEqual(self.codes(agent), set())
            agent.fault(1, "pull")
            agent.optimal()
            self.assertEqual(self.codes(agent), {"drive_removed", "spares_used_up"})
            self.assertIn("/c0  Arraywright: Needs Attention", agent.ctl("status").stdout)

    def test_a_spare_that_cannot_serve_is_told_at_once(self):
        folder = Path(self.agent(slots=0).directory)
        for slot, size in enumerate([128 * MIB] * 3 + [128 * MIB - 4096]):
            with (folder / f"s{slot}").open("wb") as file:
                file.truncate(size)
        with self.agent(slots=4, drives=[
                f'{{ path = "{folder}/s{slot}"; enclosure = {EID}; slot = {slot}; }}'
                for slot in range(4)]) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            why = f"{EID}:3 is 1 MiB too small for drive group 0."
            answer = agent.json(f"{SLOT}3", "add", "hotsparedrive")["Command Status"]
            self.assertEqual((answer["Status"], answer["Description"]),
                             ("Success", "Add Hot Spare Succeeded."))
            self.assertIn(why, answer["Detailed Status"][0]["ErrMsg"])
            finding = self.the(agent, "spare_unusable")
            self.assertEqual((finding["path"], finding["cause"]["text"]), (f"{SLOT}3", why))
            with agent.control() as control:
                control.command("drive_offline", {"drive": control.view().drive_key(0)})
            finding = self.the(agent, "virtual_drive_degraded")
            self.assertEqual(finding["cause"]["text"], why)
            self.assertNotIn("begins", finding["remedy"]["text"])

    def test_a_spare_that_waits_is_told(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl(f"{SLOT}4", "add", "hotsparedrive")
            agent.ctl("/c0", "set", "glitchtime=60")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(0, "pull")
            agent.until("the loss", lambda view: view.vd()["state"] == "degraded")
            status = agent.ctl("status").stdout
            self.assertIn(f"A rebuild onto {EID}:4 begins unless the missing drive is back within "
                          "60 s of its loss.", status)
            self.assertNotIn("add a hot spare", status)
            agent.fault(0, "return")
            agent.optimal()
            self.assertEqual(self.codes(agent), set())

    def test_a_spare_that_is_pulled(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.ctl(f"{SLOT}4", "add", "hotsparedrive")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.fault(4, "pull")
            agent.until("its absence", lambda view: not view.drive(4)["present"])
            self.assertEqual(self.codes(agent), {"spare_missing"})
            agent.fault(4, "return")
            agent.until("its return", lambda view: view.drive(4)["present"]
                        and view.drive(4)["state"] == "hot_spare")
            self.assertEqual(self.codes(agent), set())

    def test_a_pulled_spare_is_missed_until_it_is_removed(self):
        folder = Path(self.agent(slots=0).directory)
        for slot in range(4):
            with (folder / f"s{slot}").open("wb") as file:
                file.truncate(128 * MIB)
        with self.agent(slots=4, drives=[
                f'{{ path = "{folder}/s{slot}"; enclosure = {EID}; slot = {slot}; }}'
                for slot in range(4)]) as agent:
            agent.create("raid1", [0, 1])
            agent.ctl(f"{SLOT}3", "add", "hotsparedrive")
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.stop()
            (folder / "s3").rename(folder / "away")
            for _ in range(2):
                agent.start()
                agent.until("the finding", lambda view: "spare_missing" in
                            {each["code"] for each in findings(view)})
                finding = self.the(agent, "spare_missing")
                self.assertEqual(finding["path"], f"{SLOT}3")
                self.assertIn(f"{SLOT}3 delete hotsparedrive", finding["remedy"]["text"])
                agent.stop()
            agent.start()
            agent.until("the finding", lambda view: "spare_missing" in
                        {each["code"] for each in findings(view)})
            answer = agent.json(f"{SLOT}3", "delete", "hotsparedrive")["Command Status"]
            self.assertEqual(answer["Status"], "Success", answer)
            self.assertEqual(self.codes(agent), set())
            answer = agent.json(f"{SLOT}3", "delete", "hotsparedrive", check=False)["Command Status"]
            self.assertEqual(answer["Status"], "Failure", answer)

    def plain(self, slots):
        """An agent over image files that it does not make, and their folder."""
        folder = Path(self.agent(slots=0).directory)
        for slot in range(slots):
            with (folder / f"s{slot}").open("wb") as file:
                file.truncate(256 * MIB)
        return self.agent(slots=slots, drives=[
            f'{{ path = "{folder}/s{slot}"; enclosure = {EID}; slot = {slot}; }}'
            for slot in range(slots)]), folder

    def test_a_boot_sector_on_a_member(self):
        agent, folder = self.plain(2)
        with agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.stop()
            with (folder / "s1").open("r+b") as file:
                file.write(bytes(510) + b"\x55\xaa")
            before = (folder / "s1").read_bytes()
            agent.start()
            finding = self.the(agent, "drive_overwritten")
            self.assertEqual(finding["path"], f"{SLOT}1")
            self.assertIn(f"{SLOT}1 start rebuild", finding["remedy"]["text"])
            self.assertEqual((folder / "s1").read_bytes(), before)
            agent.ctl(f"{SLOT}1", "start", "rebuild")
            agent.optimal()
            self.assertEqual(self.codes(agent), set())

    def test_a_device_that_has_shrunk_and_grown(self):
        agent, folder = self.plain(2)
        with agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.stop()
            whole = (folder / "s1").read_bytes()
            os.truncate(folder / "s1", 192 * MIB)
            agent.start()
            finding = self.the(agent, "drive_shrunk")
            self.assertIn("is 64 MiB smaller than when it was taken into use: "
                          "201326592 instead of 268435456 bytes", finding["what"]["text"])
            self.assertEqual((folder / "s1").read_bytes(), whole[:192 * MIB])
            agent.stop()
            (folder / "s1").write_bytes(whole)
            os.truncate(folder / "s1", 2048 * MIB)
            agent.start()
            agent.optimal()
            self.assertEqual(self.codes(agent), set())


if __name__ == "__main__":
    unittest.main()
