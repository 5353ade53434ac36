"""What programs that call StorCLI rely on, in the state they meet it in: keys that are always
there, lists that agree, the words in each of their forms, and StorCLI's own literals."""

import json
import re
import unittest

import reference
import states
from harness import EID
from test_golden import shows_of_the_table, storcli


def properties(rows):
    return {row["Property"]: row["Value"] for row in rows}


class Contract(unittest.TestCase):
    """One controller: a RAID 5 that lost a member, and a mirror."""

    @classmethod
    def setUpClass(cls):
        cls.scene = states.Scene().__enter__()
        cls.addClassCleanup(cls.scene.__exit__, None, None, None)
        states.degraded(cls.scene)
        cls.agent = cls.scene.agents[0]

    def json(self, *words, check=True):
        return self.agent.json(*words, check=check)

    def test_every_property_of_the_battery_is_there(self):
        data = self.json("/c0/bbu", "show", "all")["Response Data"]
        for section, names in reference.BATTERY_PROPERTIES.items():
            shown = properties(data[section])
            self.assertEqual([name for name in names if name not in shown], [], section)
            for name, value in shown.items():
                self.assertNotEqual(value, "", f"{section}: {name}")

    def test_each_drive_has_a_name_of_sixteen_digits(self):
        data = self.json(f"/c0/e{EID}/sall", "show", "all")["Response Data"]
        details = {name.split()[1]: value for name, value in data.items() if "Detailed" in name}
        names = {path: value[f"Drive {path} Device attributes"]["WWN"]
                 for path, value in details.items()}
        self.assertEqual(len(set(names.values())), len(names), names)
        for path, value in names.items():
            self.assertRegex(value, r"^[0-9A-Fa-f]{16}$", path)
            port = details[path][f"Drive {path} Policies/Settings"]["Port Information"][0]
            self.assertEqual(port["SAS address"], f"0x{value}")
        again = self.json(f"/c0/e{EID}/s0", "show", "all")["Response Data"]
        self.assertIn(names[f"/c0/e{EID}/s0"], str(again))

    def test_lists_of_drives_agree(self):
        """The member that was pulled is a place in the topology, and no drive anywhere."""
        shown = self.json("/c0", "show")["Response Data"]
        present = {row["EID:Slt"] for row in shown["PD LIST"]}
        self.assertNotIn(f"{EID}:1", present)
        group = self.json("/c0/d0", "show", "all")["Response Data"]
        members = {row["EID:Slt"] for row in self.json("/c0/v0", "show", "all")["Response Data"]
                   ["PDs for VD 0"]}
        listed = {row["EID:Slt"] for row in group["DG Drive LIST"]}
        self.assertEqual(listed, members)
        self.assertEqual(listed - present, set())
        drives = self.json("/c0/eall/sall", "show")["Response Data"]["Drive Information"]
        self.assertEqual({row["EID:Slt"] for row in drives}, present)
        for topology in (shown["TOPOLOGY"], group["TOPOLOGY"]):
            lost = [row for row in topology if row["State"] == "Msng"]
            self.assertEqual([(row["EID:Slot"], row["DID"]) for row in lost], [("-", "-")])
        self.assertIn("FREE SPACE DETAILS", group)

    def test_a_command_in_one_word(self):
        for line in ("/c0 show events", "/c0/vall show", "show", " /c0  show  rebuildrate"):
            whole = storcli(self.scene, line)
            self.assertEqual((whole.returncode, whole.stderr), (0, ""), line)
            self.assertIn("Status = Success", whole.stdout, line)
        self.assertIn('"Controllers"', storcli(self.scene, "/c0/v0 show J").stdout)
        named = storcli(self.scene, "/c0/v1 set name='two-words'")
        self.assertEqual(named.returncode, 0, named.stdout)
        self.assertIn("two-words", storcli(self.scene, "/c0/v1 show").stdout)
        self.assertEqual(storcli(self.scene, "/c0/v1", "set", 'name="logs"').returncode, 0)
        self.assertRegex(storcli(self.scene, "/c0/v1 show").stdout, r"\blogs\b")

    def test_every_object_by_a_star(self):
        for star, word in (("/c0/v*", "/c0/vall"), ("/c*", "/call"), ("/c0/e*/s*", "/c0/eall/sall"),
                           ("/c0/d*", "/c0/dall")):
            self.assertEqual(self.json(star, "show"), self.json(word, "show"), star)

    def test_literals(self):
        def failure(*words):
            done = self.json(*words, check=False)["Command Status"]
            self.assertEqual(done["Status"], "Failure", words)
            return done["Detailed Status"][0]

        self.assertEqual(failure("/c0/cv", "show")["ErrMsg"], "use /cx/bbu")
        for words in (["-v"], ["v"], ["ver"], ["VERSION"]):
            self.assertRegex(storcli(self.scene, *words).stdout, r" Ver 007\.\d+\.\d+\.\d+")
        self.assertIn('"CLI Version" : "007.', storcli(self.scene, "v", "J").stdout)

    def test_a_word_that_is_nearly_right(self):
        for words, meant in ((["statu"], "status"), (["/c0", "shwo"], "show"),
                             (["/c0", "show", "evnts"], "events"),
                             (["/c0/v0", "set", "wrcach=wt"], "wrcache="),
                             (["help", "creat"], "create"),
                             (["/c0/v0", "strat", "cc"], "start")):
            done = storcli(self.scene, *words)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(f'did you mean "{meant}"?', done.stdout + done.stderr, words)
        self.assertNotIn("did you mean", storcli(self.scene, "/c0", "frobnicate").stderr)


    def test_events_name_objects_as_the_firmware_does(self):
        text = storcli(self.scene, "/c0", "show", "events").stdout
        events = re.findall(r"Event Description: ([^\n]*)\nEvent Data:\n=+\n(.*?)\n\n", text, re.S)
        data = dict(events)
        self.assertIn("VD 00/0 is now DEGRADED", data)
        self.assertEqual(data["VD 00/0 is now DEGRADED"].splitlines()[0], "Target Id: 0")
        gone = [key for key in data if key.startswith(f"Removed: PD 01(e0x{EID:02x}/s1)")]
        self.assertEqual(data[gone[0]].splitlines()[:3],
                         ["Device ID: 1", f"Enclosure Index: {EID}", "Slot Number: 1"])
        for sentence in data:
            self.assertNotRegex(sentence, r"/c\d+/([ev]|s\d)")
        entries = self.json("/c0", "show", "events", "J=2")["Response Data"]
        shown = {row["Event Description"]: row["Event Data"]
                 for row in entries["Controller Event Log Entries"]}
        self.assertEqual(set(shown), set(data))
        self.assertEqual(shown["VD 00/0 is now DEGRADED"]["Target Id"], 0)

    def shown(self, noun):
        rows = self.json("/c0", "show", noun)["Response Data"]["Controller Properties"]
        return {row["Ctrl_Prop"]: row["Value"] for row in rows}

    def test_each_property_can_be_shown_alone(self):
        nouns = [title.split()[-1] for title in shows_of_the_table()
                 if title.startswith("/c show ")]
        self.assertGreater(len(nouns), 40)
        for noun in nouns:
            if noun not in ("all", "events", "alilog", "health", "presets", "undo",
                            "preservedcache", "freespace"):
                self.assertNotIn("", self.shown(noun).values(), noun)
                self.assertTrue(self.shown(noun), noun)

    def test_show_all_says_what_each_show_says(self):
        data = self.json("/c0", "show", "all")["Response Data"]
        rates = {row["Policy"]: row["Current"] for row in data["Policies"]["Policies Table"]}
        word = {"ON": "On", "OFF": "Off"}
        for noun, section, key in (
                ("batterywarning", "Policies", "Battery Warning"),
                ("loadbalancemode", "Policies", "Load Balance Mode"),
                ("restorehotspare", "Policies", "Restore Hot Spare on Insertion"),
                ("maintainpdfailhistory", "Policies", "Maintain PD Fail History"),
                ("activityforlocate", "Policies", "Use drive activity for locate"),
                ("autorebuild", "Policies", "Auto Rebuild"),
                ("coercion", "Policies", "Drive Coercion Mode"),
                ("bootwithpinnedcache", "Boot", "Allow Boot with Preserved Cache"),
                ("stoponerror", "Boot", "Stop BIOS on Error")):
            value, = self.shown(noun).values()
            self.assertEqual(word.get(value, value), data[section][key], noun)
        for noun, policy in (("rebuildrate", "Rebuild Rate"), ("bgirate", "BGI Rate"),
                             ("prrate", "PR Rate"), ("ccrate", "Check Consistency Rate"),
                             ("cacheflushint", "Cache Flush Interval")):
            self.assertEqual([rates[policy]], list(self.shown(noun).values()))
        scheduled = self.shown("cc")["CC Operation Mode"] != "Disabled"
        self.assertEqual({row["sCC"] for row in data["VD LIST"]}, {"ON" if scheduled else "OFF"})

    def test_capabilities_are_true(self):
        data = self.json("/c0", "show", "all")["Response Data"]
        for section, key, value in (
                ("Adapter", "Foreign Config Import", "Yes"),
                ("Adapter", "Support the OCE without adding drives", "Yes"),
                ("Adapter", "CC Rate", "No"), ("Adapter", "Alarm Control", "No"),
                ("Adapter", "Support Suspend Resume BG ops", "Yes"),
                ("PD", "Support Power State", "Yes"), ("PD", "Deny Locate", "No"),
                ("PD", "Deny Clear", "Yes"), ("VD", "Disk Cache Policy", "Yes"),
                ("VD", "Deny CC", "No"), ("VD", "Deny Locate", "Yes"),
                ("VD", "Reconstruction", "No")):
            self.assertEqual(data[f"Supported {section} Operations"][key], value, key)

    def test_set_answers_as_show_does(self):
        for setting in ("rebuildrate=50", "rebuildrate=30%", "autorebuild=off", "copyback=on",
                        "glitchtime=3", "coercion=1"):
            noun = setting.partition("=")[0]
            rows = self.json("/c0", "set", setting)["Response Data"]["Controller Properties"]
            self.assertEqual({row["Ctrl_Prop"]: row["Value"] for row in rows}, self.shown(noun))

    def test_a_text_is_cut_between_characters(self):
        """Wherever what was typed is told again, JSON stays whole and ASCII."""
        for length in range(4):
            odd = "x" * length + "\u00e4\u20ac\U0001f4be" * 60
            for words in (("/c0", "set", f"rebuildrate={odd}"), ("/c0/v0", "set", f"wrcache={odd}"),
                          ("/c0/v0", "set", f"name={odd}"), ("/c0/v0", "set", f"preset={odd}"),
                          ("/c0", "set", f"patrolread={odd}"), ("/c0/bbu", "set", f"fault={odd}"),
                          ("/c0", "show", odd), (odd, "J"), ("/c0/v0", odd),
                          ("/c0", "add", "vd", "r0", f"drives={EID}:5", f"name={odd}"),
                          ("/c0", "set", "config", f"file=/{odd}"),
                          ("/c0", "show", "events", f"file=/{odd}/x")):
                done = storcli(self.scene, *words, "J")
                self.assertNotEqual(done.returncode, 0, words)
                self.assertTrue(done.stdout.isascii(), words)
                self.assertEqual((done.stderr, done.stdout[:1]), ("", "{"), words)
                status = json.loads(done.stdout)["Controllers"][0]["Command Status"]
                for row in status.get("Detailed Status", [{"ErrMsg": status["Description"]}]):
                    self.assertGreater(len(row["ErrMsg"]), 10, words)
                text = storcli(self.scene, *words)
                self.assertTrue(text.stdout.isascii(), words)


class Defaults(unittest.TestCase):
    """A virtual drive gets MegaRAID's policies, whoever makes it, and the preview tells."""

    def created(self, agent):
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=words")
        agent.create("raid1", [2, 3], name="rest")
        policies = {}
        with agent.control() as control:
            drive = agent.view().drive_key(4)
            policies = control.preview(controller="c0", level="raid0", drives=[drive])["policies"]
        return agent.json("/c0/vall", "show")["Response Data"]["Virtual Drives"], policies

    def test_with_a_battery(self):
        with states.Scene() as scene:
            agent = scene.add(config=states.configured(scene.folder()))
            states.battery_ready(agent)
            rows, policies = self.created(agent)
            self.assertEqual([row["Cache"] for row in rows], ["RWBD", "RWBD"])
            for name, value in (("write_policy", "write_back"),
                                ("read_policy", "adaptive_read_ahead"), ("io_policy", "direct")):
                self.assertEqual((policies[name]["requested"], policies[name]["effective"]),
                                 (value, value))
            defaults = agent.json("/c0", "show", "all")["Response Data"]["Defaults"]
            self.assertEqual(defaults["Write Policy"], "WB")
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:4", "wt", "nora", "name=given")
            self.assertEqual(agent.json("/c0/v2", "show")["Response Data"]["Virtual Drives"][0]
                             ["Cache"], "NRWTD")

    def test_without_one(self):
        with states.Scene() as scene:
            agent = scene.add(config=states.configured(scene.folder(), battery=False))
            rows, policies = self.created(agent)
            self.assertEqual([row["Cache"] for row in rows], ["RWTD", "RWTD"])
            write = policies["write_policy"]
            self.assertEqual((write["requested"], write["effective"], write["reason"]["code"]),
                             ("write_back", "write_through", "write_policy_no_battery"))
            self.assertNotIn("Write policy of", storcli(scene, "/c0", "show", "events").stdout)
            self.assertEqual(agent.json("/c0", "show", "all")["Response Data"]["Defaults"]
                             ["Write Policy"], "WT")


class Bare(unittest.TestCase):
    def test_what_is_not_there(self):
        with states.Scene() as scene:
            agent = scene.add()
            for what, text in (("bbu", "Battery is absent!"), ("cv", "Cachevault is absent!")):
                done = storcli(scene, f"/c0/{what}", "show", "J")
                self.assertEqual(done.returncode, 34, done.stdout)
                row = agent.json(f"/c0/{what}", "show", check=False)["Command Status"]
                self.assertEqual((row["Detailed Status"][0]["ErrMsg"],
                                  row["Detailed Status"][0]["ErrCd"]), (text, 34))
            status = agent.json("/c0/vall", "show")["Command Status"]
            self.assertEqual(status["Description"], "No VD's have been configured.")
            text = storcli(scene, "/c0/vall", "show", "all").stdout
            self.assertIn("Description = No VD's have been configured.", text)


if __name__ == "__main__":
    unittest.main()
