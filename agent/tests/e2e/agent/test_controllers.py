"""Several controllers in one arrayd."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import nbd
from cases import AgentCase, digest, write_random
from harness import ARRAYCTL, EID, MIB, PATIENCE_S, cache_owner, wait_for

SIZE = 8 * MIB
PROFILES = Path(__file__).resolve().parents[3] / "profiles"


def drives(*slots):
    return f"drives={EID}:{','.join(str(slot) for slot in slots)}"


def vds(agent):
    return {doc["path"]: doc["name"] for doc in agent.view().all("virtual_drive").values()}


class Controllers(AgentCase):
    def pair(self, **options):
        return self.agent(slots=4, controllers=2, **options).start()

    def written(self, agent, *names):
        sums = {}
        for seed, name in enumerate(names):
            with agent.nbd(name) as handle:
                sums[name] = write_random(handle, SIZE, seed)
        return sums

    def assert_holds(self, agent, sums):
        for name, expected in sums.items():
            with agent.nbd(name) as handle:
                self.assertEqual(digest(handle, SIZE), expected, name)

    def reconfigure(self, agent, before, after):
        text = agent.config_path.read_text()
        self.assertIn(before, text)
        agent.config_path.write_text(text.replace(before, after))

    def test_an_enclosure_of_a_profile(self):
        shape = 'model = "Test"; slots = 1; emulated = true;'
        with self.agent(slots=1, config=f'profiles_dir = "{PROFILES}";') as agent:
            agent.stop()
            self.reconfigure(agent, shape, 'profile = "intel-axx6satadb";')
            agent.start()
            [enclosure] = agent.view().all("enclosure").values()
            self.assertEqual((enclosure["model"], enclosure["slot_count"], enclosure["rows"]),
                             ("Intel AXX6SATADB", 6, 6))
            self.assertTrue(enclosure["emulated"] and enclosure["hot_swap"])
            shown = json.loads(agent.ctl(f"/c0/e{EID}", "show", "all", "J").stdout)
            details = shown["Controllers"][0]["Response Data"][f"Enclosure /c0/e{EID} "]
            self.assertEqual(details["Properties"][0]["Slots"], 6)
            self.assertEqual(details["Properties"][0]["ProdID"], "Intel AXX6SATADB")
            self.assertEqual(details["Information"]["Hot Swap"], "Yes")
            agent.stop()
            self.reconfigure(agent, "slot = 0;", "slot = 6;")
            self.assertIn("slot 6 is beyond the 6 slots", agent.fail_to_start())
            self.reconfigure(agent, "intel-axx6satadb", "nobodys")
            self.assertIn('enclosure profile "nobodys"', agent.fail_to_start())

    def test_both_come_back(self):
        agent = self.pair()
        agent.ctl("/c0", "add", "vd", "r5", "name=left", drives(0, 1, 2))
        agent.ctl("/c1", "add", "vd", "r1", "name=right", drives(0, 1))
        paths = {"/c0/v0": "left", "/c1/v0": "right"}
        self.assertEqual(vds(agent), paths)
        shown = json.loads(agent.ctl("/call", "show", "J").stdout)["Controllers"]
        self.assertEqual([answer["Command Status"]["Controller"] for answer in shown], [0, 1])
        self.assertEqual([answer["Response Data"]["VD LIST"][0]["Name"] for answer in shown],
                         ["left", "right"])
        self.assertEqual(agent.json("show", "ctrlcount")["Response Data"]["Controller Count"], 2)
        uuids = {key: doc["uuid"] for key, doc in agent.view().all("controller").items()}
        self.assertEqual(len(set(uuids.values())), 2)
        sums = self.written(agent, "left", "right")
        for end in (agent.stop, agent.kill):
            end()
            agent.start()
            self.assertEqual(vds(agent), paths)
            self.assertEqual(uuids, {key: doc["uuid"] for key, doc
                                     in agent.view().all("controller").items()})
            self.assert_holds(agent, sums)

    def test_stripe_over_both(self):
        """Made and dissolved on the command line; there after a stop, and after a kill."""
        agent = self.pair()
        agent.create("raid0", [0, 1], name="left")
        agent.create("raid1", [0, 1], name="right", controller="c1")

        def refused(*words):
            done = agent.ctl(*words, "J", check=False)
            self.assertNotEqual(done.returncode, 0)
            return done.stdout

        self.written(agent, "right")
        add = ("add", "stripe", "name=wide", "vds=0:0,1:0", "strip=128")
        self.assertIn("carries data", refused(*add))
        agent.ctl(*add, "force")
        shown = agent.json("show", "stripes")["Response Data"]["Stripes"]
        self.assertEqual([(row["Name"], row["State"], row["VDs"], row["Strip"]) for row in shown],
                         [("wide", "Optl", "0:0,1:0", "128 KB")])
        self.assertIn("stripe    wide", agent.ctl("status").stdout)
        stripe = agent.view().vd("right")["stripe"]
        members = [agent.view().vd(name)["size_bytes"] for name in ("left", "right")]
        self.assertEqual(stripe["size_bytes"], 2 * (min(members) // 131072) * 131072)
        self.assertEqual([export["kind"] for export in stripe["exports"]], ["nbd_unix"])
        sums = self.written(agent, "wide")
        for end in (agent.stop, agent.kill):
            end()
            agent.start()
            agent.until("the stripe", lambda view: view.vd("left")["stripe"]["exports"])
            self.assert_holds(agent, sums)
        with self.assertRaises(nbd.Error):
            agent.nbd_open("right")
        self.assertIn("part of the stripe", refused("/c1/v0", "del", "force"))
        with agent.nbd("wide"):
            self.assertIn("open connections",
                          refused("delete", "stripe", "name=wide", "confirm=wide"))
        agent.ctl(f"/c1/e{EID}/s0", "set", "fault=pull")
        agent.until("the loss", lambda view: view.vd("left")["stripe"]["state"] == "degraded")
        self.assert_holds(agent, sums)
        agent.ctl("delete", "stripe", "name=wide", "confirm=wide")
        self.assertEqual([doc["stripe"] for doc in agent.view().all("virtual_drive").values()],
                         [None, None])
        with agent.nbd("right") as handle:
            self.assertGreater(handle.get_size(), 0)

    def test_one_state_and_one_log(self):
        agent = self.pair()
        with agent.control() as control:
            view = control.view()
            self.assertEqual(sorted(view.all("controller")), ["c0", "c1"])
            self.assertEqual(len(view.all("host")), 1)
            self.assertEqual(len(view.all("drive")), 8)
            control.ask("state.subscribe", {"since_rev": view.rev})
            right = [view.drive_key(slot, "c1") for slot in range(2)]
            create = {"controller": "c1", "level": "raid1", "name": "right", "drives": right}
            status = control.command("vd_create", create)
            self.assertEqual([item["kind"] for item in status["objects"]].count("virtual_drive"),
                             1)
            change = control.notification("state")
            self.assertEqual(change["base_rev"], view.rev)
            revs = [item["rev"] for item in control.state()["objects"]]
            self.assertEqual(len(revs), len(set(revs)))
            # A name is one on the host, a drive is one controller's.
            left = [view.drive_key(slot) for slot in range(2)]
            self.assert_refused("name_taken", control.command, "vd_create",
                                {**create, "controller": "c0", "drives": left})
            self.assert_refused("drive_gone", control.command, "vd_create",
                                {**create, "controller": "c0", "name": "left"})
            preview = control.preview(controller="c1", level="raid0",
                                      drives=[view.drive_key(2, "c1")])
            self.assertTrue(preview["cli"].startswith("arrayctl /c1 "), preview["cli"])
            # What was looked at on one controller, for a command to the other.
            seen = control.view()
            control.command("vd_create", {**create, "controller": "c0", "name": "left",
                                          "drives": left},
                            preconditions=[{"kind": "controller", "key": "c1", "config_rev":
                                            seen.config_rev("controller", "c1")}])

            def read():
                """Once what was done last is durable."""
                events = control.ask("events.read", {"after_seq": 0, "limit": 256})["events"]
                return events if any("/c0/v0" in event["text"] for event in events) else None

            events = wait_for("the last event", read)
        numbers = [event["seq"] for event in events]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        online = [event["key"] for event in events if event["name"] == "controller_online"]
        self.assertEqual(sorted(online), ["c0", "c1"])
        shown = [[json.loads(line) for line in
                  agent.ctl(path, "show", "events", "format=jsonl").stdout.splitlines()]
                 for path in ("/c0", "/c1")]
        told = sorted(event["seq"] for part in shown for event in part)
        self.assertEqual(told[:len(numbers)], numbers)
        for index, part in enumerate(shown):
            self.assertTrue(any(f"/c{index}/v0" in event["text"] for event in part))
            self.assertFalse(any(f"/c{1 - index}/" in event["text"] for event in part))

    def test_a_fault_stays_on_its_controller(self):
        agent = self.pair()
        agent.create("raid1", [0, 1], name="left")
        agent.create("raid1", [0, 1], name="right", controller="c1")
        sums = self.written(agent, "left", "right")
        agent.ctl(f"/c1/e{EID}/s2", "add", "hotsparedrive")
        agent.ctl(f"/c1/e{EID}/s0", "set", "fault=pull")
        agent.until("the rebuild on the spare", lambda view: view.vd("right")["state"] == "optimal"
                    and view.all("drive")[view.drive_key(2, "c1")]["state"] == "online")
        self.assertEqual(agent.view().vd("left")["state"], "optimal")
        self.assert_holds(agent, sums)
        agent.ctl("/c0", "set", "rebuildrate=44")
        rates = {key: doc["rebuild_rate_percent"]
                 for key, doc in agent.view().all("controller").items()}
        self.assertEqual((rates["c0"], rates["c1"]), (44, 30))

    def test_one_becomes_two(self):
        """What was there under the only controller is there under the first of two."""
        agent = self.agent(slots=4).start()
        agent.create("raid5", [0, 1, 2], name="old")
        sums = self.written(agent, "old")
        uuid = agent.view().all("controller")["c0"]["uuid"]
        agent.stop()
        more = self.agent(slots=4, controllers=2, directory=agent.directory).start()
        self.assertEqual(more.view().all("controller")["c0"]["uuid"], uuid)
        more.create("raid1", [0, 1], name="new", controller="c1")
        self.assertEqual(vds(more), {"/c0/v0": "old", "/c1/v0": "new"})
        self.assert_holds(more, sums)
        more.stop()

    def test_drives_of_the_other_controller_are_left_alone(self):
        """Somebody mixes up the controllers' drives: nothing is taken, and nothing is lost."""
        agent = self.pair()
        agent.create("raid1", [0, 1], name="left")
        agent.create("raid1", [0, 1], name="right", controller="c1")
        sums = self.written(agent, "left", "right")
        agent.stop()
        self.swapped(agent)
        agent.start()
        drives_now = agent.view().all("drive").values()
        self.assertEqual(sum(doc["foreign"] for doc in drives_now), 4)
        self.assertEqual({doc["state"] for doc in agent.view().all("virtual_drive").values()},
                         {"offline"})
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.optimal("left")
        agent.optimal("right")
        self.assert_holds(agent, sums)

    def swapped(self, agent):
        for first, second in (("/d", "/x"), ("/c1d", "/d"), ("/x", "/c1d")):
            self.reconfigure(agent, f'path = "{agent.directory}{first}',
                             f'path = "{agent.directory}{second}')

    def taken_over(self):
        """What c1 had is in use on c0; c1 has its old record of it, and c0's old drives."""
        agent = self.pair()
        agent.create("raid1", [0, 1], name="left")
        agent.create("raid1", [0, 1], name="right", controller="c1")
        sums = self.written(agent, "right")
        agent.stop()
        alone = self.agent(slots=4, directory=agent.directory)
        self.reconfigure(alone, f'path = "{agent.directory}/d', f'path = "{agent.directory}/c1d')
        alone.start()
        alone.ctl("/c0/fall", "import")
        alone.stop()
        agent = self.agent(slots=4, controllers=2, directory=agent.directory)
        self.swapped(agent)
        agent.start()
        agent.until("right on c0", lambda view: {
            doc["path"]: doc["state"] for doc in self.listed(view)}
            == {"/c0/v0": "offline", "/c0/v1": "optimal", "/c1/v0": "offline"})
        return agent, sums

    def listed(self, view):
        """Also those whose keys are the same."""
        return [item["doc"] for item in view.items if item["kind"] == "virtual_drive"]

    def test_a_command_acts_on_the_object_that_was_named(self):
        agent, sums = self.taken_over()
        live = next(doc for doc in self.listed(agent.view()) if doc["path"] == "/c0/v1")
        [key] = {item["key"] for item in agent.view().items if item["kind"] == "virtual_drive"
                 and item["doc"]["path"] in ("/c0/v1", "/c1/v0")}
        for words in (["set", "name=other"], ["set", "accesspolicy=ro"], ["start", "cc"]):
            agent.ctl("/c1/v0", *words, check=False)
            now = next(doc for doc in self.listed(agent.view()) if doc["path"] == "/c0/v1")
            self.assertEqual((now["name"], now["access"], agent.view().running("check")),
                             (live["name"], live["access"], []), words)
        with agent.control() as control:
            told = self.assert_refused("ambiguous_object", control.command, "vd_delete",
                                       {"virtual_drive": key, "force": True},
                                       confirm=live["name"])
            self.assertIn("/c0/v1", told.reason["text"])
            self.assertIn("/c1/v0", told.reason["text"])
            since = control.state()["to_rev"]
            agent.ctl("/c1/v0", "del", "force")
            # Whoever follows the changes keeps what the key still stands for.
            changes = control.state(since)
            self.assertNotIn(key, [item["key"] for item in changes["tombstones"]])
            self.assertEqual([item["doc"]["path"] for item in changes["objects"]
                              if item["key"] == key and item["kind"] == "virtual_drive"],
                             ["/c0/v1"])
        self.assertEqual({doc["path"] for doc in self.listed(agent.view())},
                         {"/c0/v0", "/c0/v1"})
        self.assert_holds(agent, sums)
        self.assertNotEqual(agent.ctl("/c1/v0", "del", "force", check=False).returncode, 0)
        agent.ctl("/c0/v1", "set", "name=other")
        self.assertEqual(agent.view().vd("other")["path"], "/c0/v1")
        agent.stop()

    def test_drives_that_the_other_controller_needs(self):
        """The only copy is moved to the other controller: it is not cleared there."""
        agent = self.pair()
        agent.create("raid1", [0, 1], name="left")
        agent.create("raid1", [0, 1], name="right", controller="c1")
        sums = self.written(agent, "left", "right")
        agent.stop()
        self.swapped(agent)
        agent.start()
        for own, other in (("c0", "c1"), ("c1", "c0")):
            told = wait_for("what is said of the drives", lambda own=own, other=other: next(
                (row for row in agent.view().all("controller")[own]["findings"]
                 if f"/{other}/d0" in json.dumps(row["cause"])), None))
            self.assertEqual(told["remedy"]["code"], "remedy_foreign_needed_elsewhere")
            self.assertNotIn("fall delete", told["remedy"]["text"])
            for words in ([f"/{own}/fall", "delete", "force"], [f"/{own}/fall", "import"],
                          [f"/{own}/e{EID}/s0", "set", "good", "force"],
                          [f"/{own}/e{EID}/s0", "add", "hotsparedrive", "force"],
                          [f"/{own}", "add", "vd", "r1", drives(0, 1), "force"],
                          [f"/{own}/e{EID}/s0", "start", "erase", "simple", "force"]):
                done = agent.ctl(*words, check=False)
                self.assertNotEqual(done.returncode, 0, words)
        self.assertIn("offline without it",
                      agent.ctl("/c0/fall", "delete", "force", check=False).stdout)
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.optimal("left")
        agent.optimal("right")
        self.assert_holds(agent, sums)
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.until("the old record", lambda view: "right" in vds(agent).values())
        agent.ctl("/c1/v0", "del", "force")
        agent.until("what can be imported", lambda view: "needed_elsewhere" not in json.dumps(
            view.all("controller")["c0"]["findings"]))
        agent.ctl("/c0/fall", "import")
        self.assert_holds(agent, {"right": sums["right"]})
        agent.stop()

    def test_members_in_bays_of_the_other_controller(self):
        """Members of /c0/d0, which is offline without them: one of them is in the bay of a lost member
        of /c1/d0, and that one is at /c0. Nobody is advised to overwrite or to free either."""
        agent = self.pair()
        for index, name in enumerate(("left", "right")):
            agent.create("raid5", range(3), name=name, controller=f"c{index}")
        agent.optimal("left")
        agent.optimal("right")
        sums = self.written(agent, "left", "right")
        agent.stop()
        self.exchanged(agent, ("d1", "c1d3"), ("d2", "c1d2"))
        agent.start()
        agent.until("what is said of the drives", lambda view: {
            "remedy_place_needed", "remedy_foreign_lacked_elsewhere"} <= self.remedies(view))
        bay = f"/c1/e{EID}/s2"
        for words in (["insert", "dg=0", "array=0", "row=2", "force"], ["set", "good", "force"]):
            done = agent.ctl(bay, *words, check=False)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn("Connect it to /c0 again", done.stdout, words)
            said = agent.ctl("status").stdout
            self.assertIn("Connect it to /c0 again", said)
            self.assertIn("Connect it to /c1 again", said)
            self.assertNotIn(f"{bay} insert", said)
            self.assertNotIn(f"{bay} set good", said)
        agent.stop()
        self.exchanged(agent, ("d1", "c1d3"), ("d2", "c1d2"))
        agent.start()
        agent.until("all members", lambda view: {doc["state"] for doc in self.listed(view)}
                    == {"optimal"})
        self.assert_holds(agent, sums)
        agent.stop()
        self.exchanged(agent, ("d2", "c1d2"))
        agent.start()
        agent.until("what may be freed", lambda view: "remedy_foreign_lacked_elsewhere" in
                    self.remedies(view))
        agent.ctl("/c0/fall", "delete", "force")
        self.assert_holds(agent, sums)
        agent.stop()

    def remedies(self, view):
        return {row["remedy"]["code"] for item in view.items
                for row in item["doc"].get("findings", [])}

    def exchanged(self, agent, *pairs):
        for pair in pairs:
            first, second = (f'"{agent.directory}/{name}"' for name in pair)
            for before, after in ((first, '"x"'), (second, first), ('"x"', second)):
                self.reconfigure(agent, before, after)

    def test_caches_that_were_exchanged(self):
        """Their paths in arrayd.conf. The start says so and touches neither; nor does the line
        `owner` let a controller have the cache of another one."""
        for medium in ("log", "pmem"):
            with self.subTest(medium):
                self.caches_exchanged(medium)

    def caches_exchanged(self, medium):
        folder = tempfile.TemporaryDirectory(prefix="aw-caches-")
        self.addCleanup(folder.cleanup)
        paths = [f"{folder.name}/k{index}" for index in range(2)]
        agent = self.agent(slots=4, controllers=[
            f'cache = {{ medium = "{medium}"; path = "{path}"; size = "16 MiB"; }};'
            for path in paths]).start()
        for index, name in enumerate(("left", "right")):
            agent.create("raid5", range(3), name=name, controller=f"c{index}",
                         write_policy="write_back")
        sums = self.written(agent, "left", "right")
        agent.kill()
        right = agent.config_path.read_text()
        for first, second in (("k0", "x"), ("k1", "k0"), ("x", "k1")):
            self.reconfigure(agent, f'{folder.name}/{first}"', f'{folder.name}/{second}"')
        exchanged = agent.config_path.read_text()
        before = [Path(path).read_bytes() for path in paths]
        said = agent.fail_to_start()
        self.assertIn("it is the cache of controller /c1", said)
        self.assertIn("if the two paths were exchanged, exchange them again", said)
        self.assertNotIn("owner =", said)
        self.assertNotIn("new file", said)
        owner = [cache_owner(path) for path in paths]
        agent.config_path.write_text(exchanged.replace(
            f'path = "{paths[1]}";', f'path = "{paths[1]}"; owner = "{owner[1]}";').replace(
            f'path = "{paths[0]}";', f'path = "{paths[0]}"; owner = "{owner[0]}";'))
        self.assertIn("exchange them again", agent.fail_to_start())
        self.assertEqual([Path(path).read_bytes() for path in paths], before)
        agent.config_path.write_text(right)
        agent.start()
        self.assert_holds(agent, sums)
        self.assertEqual([doc["lost_writes"] for doc in agent.view().all("virtual_drive").values()],
                         [None, None])
        agent.stop()  # empties them: they are not taken by the other one all the same
        agent.config_path.write_text(exchanged)
        self.assertIn("it is the cache of controller /c1", agent.fail_to_start())
        agent.config_path.write_text(right)
        agent.start()
        self.assert_holds(agent, sums)
        agent.stop()

    def test_drives_that_went_back_to_an_old_record(self):
        agent, sums = self.taken_over()
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.until("what is said of the drives", lambda view: "remedy_foreign_needed_elsewhere" in
                    json.dumps(view.all("controller")["c1"]["findings"]))
        for words in (["/c1/fall", "delete", "force"], ["/c1/v0", "del", "force"],
                      ["/c1/fall", "delete", "force"], ["/c1/fall", "import"]):
            done = agent.ctl(*words, check=False)
            self.assertEqual(done.returncode == 0, words[0] == "/c1/v0", words)
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.optimal("right")
        self.assert_holds(agent, sums)
        agent.stop()
        self.swapped(agent)
        agent.start()
        agent.ctl("/c0/v1", "del", "force")
        agent.ctl("/c1/fall", "import")
        self.assert_holds(agent, sums)
        agent.stop()

    def test_controllers_of_several_agents(self):
        pair = self.pair()
        single = self.agent(slots=2).start()
        single.create("raid1", [0, 1], name="third")
        pair.create("raid0", [0], name="second", controller="c1")

        def typed(*words):
            done = subprocess.run(
                [ARRAYCTL, *words, "J"], timeout=PATIENCE_S, text=True, capture_output=True,
                env={"PATH": os.environ["PATH"],
                     "ARRAYWRIGHT_SOCKET": f"{pair.control_path}:{single.control_path}"})
            return json.loads(done.stdout)["Controllers"]

        self.assertEqual([row["Ctl"] for row in
                          typed("show")[0]["Response Data"]["System Overview"]], [0, 1, 2])
        answers = typed("/call/vall", "show")
        self.assertEqual([answer["Response Data"]["Virtual Drives"][0]["Name"]
                          for answer in answers[1:]], ["second", "third"])
        typed("/c2/v0", "set", "name=renamed")
        self.assertEqual(vds(single), {"/c0/v0": "renamed"})
        pair.stop()
        self.assertEqual([answer["Command Status"]["Status"] for answer in
                          typed("/call", "show")], ["Failure", "Success"])
