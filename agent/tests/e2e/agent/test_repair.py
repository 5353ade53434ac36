"""Loss, rebuild, hot spares, media errors."""

import nbd
import schema_check
from cases import AgentCase, digest, write_random
from harness import EID, MIB, wait_for


class Repair(AgentCase):
    def events(self, agent, after=0):
        with agent.control() as control:
            result = control.ask("events.read", {"after_seq": after, "limit": 256})
            schema_check.check(result, "events_result", "control.schema.json")
            return result["events"]

    def test_pull_spare_rebuild(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 128 * MIB, seed=1)
                agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive")
                self.assertEqual(agent.view().drive(3)["state"], "hot_spare")
                agent.ctl(f"/c0/e{EID}/s1", "set", "fault=pull")
                self.assertEqual(digest(handle, 128 * MIB), written)
                agent.until("the spare to be online",
                            lambda v: v.vd()["state"] == "optimal"
                            and v.drive(3)["state"] == "online")
                self.assertEqual(digest(handle, 128 * MIB), written)
            def names_seen():
                names = [event["name"] for event in self.events(agent)]
                return names if "rebuild_completed" in names else None
            names = wait_for("the events to be durable", names_seen)
            for name in ("drive_removed", "virtual_drive_degraded", "rebuild_started_auto",
                         "rebuild_completed", "virtual_drive_optimal"):
                self.assertEqual(names.count(name), 1, f"{name}: {names}")
            seqs = [event["seq"] for event in self.events(agent)]
            self.assertEqual(seqs, list(range(1, len(seqs) + 1)))

    def test_replaced_drive_rebuilds_by_itself(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            with agent.nbd() as handle:
                written = write_random(handle, 64 * MIB, seed=2)
                old = agent.view().drive(0)["serial"]
                agent.fault(0, "pull")
                agent.fault(0, "replace")
                view = agent.until("the new drive to be online", lambda v: v if
                                   v.vd()["state"] == "optimal" and
                                   v.drive(0)["state"] == "online" else None)
                self.assertNotEqual(view.drive(0)["serial"], old)
                agent.fault(1, "pull")
                self.assertEqual(digest(handle, 64 * MIB), written)

    def test_beyond_redundancy_is_offline_and_the_data_come_back(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 128 * MIB, seed=3)
                agent.until("the virtual drive to be consistent", lambda v: v.vd()["consistent"])
                agent.stop()
            agent.start()
            agent.fault(0, "pull")
            agent.until("degraded", lambda v: v.vd()["state"] == "degraded")
            agent.fault(1, "pull")
            agent.until("offline", lambda v: v.vd()["state"] == "offline")
            with agent.nbd() as handle, self.assertRaises(Exception):
                handle.pread(4096, 0)
            agent.stop()
            agent.start()  # both are back: the last state that was in sync is served again
            agent.until("the virtual drive to be back",
                        lambda v: v.vd()["state"] in ("degraded", "optimal"))
            with agent.nbd() as handle:
                self.assertEqual(digest(handle, 128 * MIB), written)

    def restart_mid_rebuild(self, end):
        """Ends the agent when more than half is rebuilt, which takes longer than a checkpoint."""
        slow = 'transfer_per_s = "12 MB";'
        with self.agent(slots=3, drive_mib=192, emulated=slow) as agent:
            agent.create("raid1", [0, 1])
            with agent.nbd() as handle:
                written = write_random(handle, 8 * MIB, seed=4)
            agent.until("consistency", lambda v: v.vd()["consistent"], 90)
            agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive")
            agent.fault(1, "pull")
            total = 128 * MIB
            agent.until("60 % of the rebuild", lambda v: any(
                total * 6 // 10 < o["done_bytes"] < total * 9 // 10
                for o in v.running("rebuild")))
            end(agent)
            agent.start()
            resumed = agent.until("the rebuild to go on", lambda v: next(
                (o["done_bytes"] for o in v.running("rebuild")), None))
            self.assertGreater(resumed, total // 8, "the rebuild began again")
            agent.until("the spare to be in sync", lambda v: v.vd()["state"] == "optimal")
            names = [event["name"] for event in self.events(agent)]
            self.assertIn("rebuild_resumed", names)
            agent.fault(0, "pull")
            with agent.nbd() as handle:
                self.assertEqual(digest(handle, 8 * MIB), written)

    def test_rebuild_goes_on_after_a_stop(self):
        self.restart_mid_rebuild(lambda agent: agent.stop())

    def test_rebuild_goes_on_after_a_kill(self):
        self.restart_mid_rebuild(lambda agent: agent.kill())

    def test_rebuild_is_paused_and_resumed(self):
        with self.agent(slots=3, emulated='transfer_per_s = "24 MB";') as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda v: v.vd()["consistent"])
            agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive", "dgs=0")
            agent.fault(0, "pull")
            agent.until("the rebuild", lambda v: v.running("rebuild"))
            agent.ctl(f"/c0/e{EID}/s2", "pause", "rebuild")
            paused = agent.until("the pause", lambda v: next(
                (o for o in v.running("rebuild") if o["state"] == "paused"), None))
            row = agent.json(f"/c0/e{EID}/s2", "show", "rebuild")["Response Data"][0]
            self.assertEqual(row["Status"], "Paused")
            self.assertEqual(row["Drive-ID"], f"/c0/e{EID}/s2")
            self.assertIsInstance(row["Progress%"], int)
            # At 24 MB/s a rebuild that goes on would pass this mark in less than half a second.
            with self.assertRaises(AssertionError):
                agent.until("a rebuild that is not paused", lambda v: any(
                    o["done_bytes"] > paused["done_bytes"] + 4 * MIB
                    for o in v.running("rebuild")), patience_s=1)
            agent.ctl(f"/c0/e{EID}/s2", "resume", "rebuild")
            agent.optimal()

    def test_media_error_is_repaired_and_counted(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            with agent.nbd() as handle:
                written = write_random(handle, 16 * MIB, seed=5)
                agent.until("consistency", lambda v: v.vd()["consistent"])
                # Strips of 64 KiB: rows 16 and 65, where these two drives hold data.
                agent.fault(0, "media_error", lba=16 * 128, count=64)
                agent.fault(1, "media_error", lba=65 * 128, count=64)
                self.assertEqual(digest(handle, 16 * MIB), written)
                agent.until("both errors to be counted and repaired", lambda v: all(
                    v.drive(slot)["media_error_count"] > 0 and not v.drive(slot)["faults"]
                    for slot in (0, 1)))
                self.assertEqual(agent.view().vd()["state"], "optimal")

    def test_a_copy_that_is_out_of_use_has_no_lost_blocks(self):
        """What no copy could give is written again: the copy that missed that is not counted."""
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda view: view.vd()["consistent"])

            def lost():
                done = agent.json("/c0/v0", "show", "badblocks")
                listed = done.get("Response Data") or {}
                return agent.view().vd()["bad_block_count"], len(listed.get("Bad Blocks", []))

            with agent.nbd() as handle:
                for slot in (0, 1):
                    agent.fault(slot, "media_error", lba=20000, count=16)
                with self.assertRaises(nbd.Error):
                    handle.pread(64 * 1024, 20000 * 512)
                self.assertEqual(lost(), (16, 1))
                agent.ctl(f"/c0/e{EID}/s1", "set", "offline")
                self.assertEqual(lost(), (16, 1))
                handle.pwrite(b"x" * 64 * 1024, 20000 * 512)
                handle.flush()
                self.assertEqual(handle.pread(64 * 1024, 20000 * 512), b"x" * 64 * 1024)
                self.assertEqual(lost(), (0, 0))
                agent.ctl(f"/c0/e{EID}/s1", "start", "rebuild")
                agent.optimal()
                self.assertEqual(lost(), (0, 0))

    def told(self, agent, slot):
        """What is said of a drive: findings, reason of its state, errors."""
        view = agent.view()
        doc = view.drive(slot)
        findings = [finding for host in view.all("controller").values()
                    for finding in host["findings"] if finding["key"] == view.drive_key(slot)]
        return (doc["media_error_count"], doc["state"], doc["state_reason"],
                sorted(finding["code"] for finding in findings),
                sorted(finding["what"]["text"] for finding in findings))

    def test_what_was_seen_of_a_drive_outlives_the_agent(self):
        """A prediction, its errors, and whom it was replaced by; until it is made good."""
        with self.agent(slots=5) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0-1", "name=data")
            agent.optimal()
            for error in range(15):
                agent.fault(1, "media_error", lba=4000 + 2048 * error, count=8)
            with agent.nbd() as handle:
                for _ in range(2):  # one mirror and the other
                    for offset in range(0, handle.get_size(), MIB):
                        handle.pread(MIB, offset)
            agent.ctl("/c0", "start", "patrolread")
            agent.until("the prediction", lambda view:
                        view.drive(1)["predictive_failure_count"] == 1)
            agent.until("the patrol", lambda view: not view.running("patrol_read"))
            before = self.told(agent, 1)
            self.assertIn("drive_predictive_failure", before[3])
            agent.stop()
            agent.start()
            self.assertEqual(self.told(agent, 1), before)
            agent.ctl(f"/c0/e{EID}/s1", "start", "copyback", f"target={EID}:3")
            agent.until("the copyback", lambda view:
                        view.drive(1)["state"] == "unconfigured_bad")
            before = self.told(agent, 1)
            self.assertEqual(before[2]["code"], "copyback_source_done")
            self.assertIn(f"/c0/e{EID}/s3", before[2]["text"])
            agent.stop()
            agent.start()
            self.assertEqual(self.told(agent, 1), before)
            agent.ctl(f"/c0/e{EID}/s1", "set", "good")
            agent.stop()
            agent.start()
            self.assertEqual(self.told(agent, 1), (0, "unconfigured_good", None, [], []))

    def test_write_error_degrades_and_succeeds(self):
        with self.agent(slots=2) as agent:
            agent.create("raid1", [0, 1])
            agent.until("consistency", lambda v: v.vd()["consistent"])
            agent.fault(0, "write_error")
            with agent.nbd() as handle:
                written = write_random(handle, 4 * MIB, seed=6)
                agent.until("degraded", lambda v: v.vd()["state"] == "degraded")
                self.assertEqual(digest(handle, 4 * MIB), written)
            self.assertIn(agent.view().drive(0)["state"], ("failed", "unconfigured_bad"))
