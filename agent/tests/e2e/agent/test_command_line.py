"""arrayctl: grammar, tables, failures."""

import json
import re

import schema_check
from cases import AgentCase
from harness import EID, Refused, wait_for


class CommandLine(AgentCase):
    def test_not_running(self):
        agent = self.agent(slots=1)
        done = agent.ctl("show", check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Is arrayd running?", done.stderr)
        document = json.loads(agent.ctl("show", "J", check=False).stdout)
        self.assertEqual(document["Controllers"][0]["Command Status"]["Status"], "Failure")

    def test_keys_and_types(self):
        with self.agent(slots=5) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.fault(3, "pull")
            host = agent.json("show")
            self.assertEqual(host["Command Status"]["Status Code"], 0)
            row = host["Response Data"]["System Overview"][0]
            self.assertEqual((row["Ctl"], row["PDs"], row["DGs"], row["VDs"]), (0, 4, 1, 1))
            self.assertEqual(agent.json("show", "ctrlcount")["Response Data"]["Controller Count"],
                             1)
            data = agent.json("/c0", "show", "all")["Response Data"]
            self.assertEqual(data["Version"]["Driver Name"], "megaraid_sas")
            self.assertEqual(data["Status"]["BBU Status"], "NA")
            self.assertEqual(data["Physical Drives"], 4)
            drive = data["PD LIST"][0]
            self.assertEqual((drive["EID:Slt"], drive["DG"], drive["State"]),
                             (f"{EID}:0", 0, "Onln"))
            self.assertEqual(data["PD LIST"][3]["DG"], "-")
            vd = data["VD LIST"][0]
            self.assertEqual((vd["DG/VD"], vd["TYPE"], vd["State"], vd["Access"], vd["Cache"],
                              vd["Size"], vd["Name"]),
                             ("0/0", "RAID5", "Optl", "RW", "NRWTD", "128.000 MB", "data"))
            topology = data["TOPOLOGY"]
            self.assertEqual([(t["Arr"], t["Row"], t["Type"]) for t in topology],
                             [("-", "-", "RAID5"), (0, "-", "RAID5"), (0, 0, "DRIVE"),
                              (0, 1, "DRIVE"), (0, 2, "DRIVE")])
            details = agent.json(f"/c0/e{EID}/sall", "show", "all")["Response Data"]
            name = f"Drive /c0/e{EID}/s0"
            attributes = details[f"{name} - Detailed Information"][f"{name} Device attributes"]
            self.assertRegex(attributes["Raw size"], r"^128.000 MB \[0x40000 Sectors\]$")
            self.assertTrue(attributes["SN"])
            properties = agent.json("/c0/v0", "show", "all")["Response Data"]["VD0 Properties"]
            self.assertEqual(properties["Strip Size"], "64 KB")
            self.assertRegex(properties["SCSI NAA Id"], "^6[0-9a-f]{31}$")
            self.assertIn("nbd+unix://", properties["OS Drive Name"])
            idle = agent.json(f"/c0/e{EID}/s0", "show", "rebuild")["Response Data"]
            self.assertEqual(idle[0]["Progress%"], "-")
            raw = agent.ctl("/c0/v0", "show", "j", "nolog").stdout
            self.assertIn('\t\t"Status" : "Success",\n', raw)

    def test_a_span_has_its_own_state(self):
        """A span that lacks no drive is optimal, whatever another span lacks."""
        with self.agent(slots=6, drive_mib=128) as agent:
            agent.ctl("/c0", "set", "autorebuild=off")
            agent.ctl("/c0", "add", "vd", "r50", f"drives={EID}:0-5", "name=data", "pdperarray=3")

            def spans():
                rows = agent.json("/c0/dall", "show")["Response Data"]["TOPOLOGY"]
                return [row["State"] for row in rows if row["Row"] == "-"]

            self.assertEqual(spans(), ["Optl", "Optl", "Optl"])
            agent.ctl(f"/c0/e{EID}/s4", "set", "offline")
            self.assertEqual(spans(), ["Dgrd", "Optl", "Dgrd"])
            self.assertEqual(agent.view().group()["span_states"], ["optimal", "degraded"])
            agent.ctl(f"/c0/e{EID}/s5", "set", "fault=pull")
            agent.until("the loss", lambda view: view.group()["state"] == "offline")
            self.assertEqual(spans(), ["OfLn", "Optl", "OfLn"])

    def test_missing_things_fail(self):
        with self.agent(slots=1) as agent:
            for words in (["/c0/v5", "show"], [f"/c0/e{EID}/s7", "show"], ["/c3", "show"],
                          ["/c0/d1", "show"], ["/c0/bbu", "show"], ["/c0/v0", "frob"],
                          ["/c0", "add", "vd", "r5"], ["/c0", "set", "rebuildrate=101"],
                          ["/c0/v0", "del", "force"], ["/zzz"], ["/c0/v9", "del", "force"]):
                document = json.loads(agent.ctl(*words, "J", check=False).stdout)
                status = document["Controllers"][0]["Command Status"]
                self.assertEqual(status["Status"], "Failure", words)
                self.assertNotEqual(agent.ctl(*words, check=False).returncode, 0)

    def test_settings(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1")
            agent.ctl("/c0/v0", "set", "name=new-name", "rdcache=ra", "pdcache=off")
            vd = agent.view().vd("new-name")
            self.assertEqual(vd["read_policy"]["requested"], "read_ahead")
            self.assertEqual(vd["drive_cache_policy"], "off")
            agent.until("the drives to follow", lambda view: all(
                view.drive(slot)["write_cache"] == "off" for slot in (0, 1)))
            row = agent.json(f"/c0/e{EID}/s0", "show", "all")["Response Data"]
            self.assertIn('"Write Cache": "Disabled"', json.dumps(row))
            agent.stop()
            agent.start()  # the emulation comes up with its caches on
            agent.until("the drives to follow again", lambda view: all(
                view.drive(slot)["write_cache"] == "off" for slot in (0, 1)))
            done = agent.ctl("/c0/v0", "set", "wrcache=purple", check=False)
            self.assertIn("wrcache= does not take \"purple\"", done.stdout)
            agent.ctl("/c0/v0", "set", "wrcache=wb")
            policy = agent.view().vd("new-name")["write_policy"]
            self.assertEqual((policy["requested"], policy["effective"], policy["reason"]["code"]),
                             ("write_back", "write_through", "no_cache_memory"))
            agent.ctl("/c0", "set", "autorebuild=off")
            shown = agent.json("/c0", "show", "autorebuild")["Response Data"]
            self.assertEqual(shown["Controller Properties"][0],
                             {"Ctrl_Prop": "AutoRebuild", "Value": "OFF"})
            agent.ctl(f"/c0/e{EID}/s0", "start", "locate")
            self.assertTrue(agent.view().drive(0)["locating"])
            agent.ctl(f"/c0/e{EID}/s0", "start", "locate", "seconds=1")
            agent.until("the light to go out", lambda view: not view.drive(0)["locating"])

    def test_what_is_typed_beside_a_preset_goes_with_it(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data", "pdcache=off")
            fast = ("/c0/v0", "set", "preset=maximum-performance")
            refused = agent.ctl(*fast, check=False)
            self.assertIn("the drives' own caches on", refused.stdout)
            # What would have to be accepted is not asked for.
            agent.ctl(*fast, "pdcache=off", "name=fast")
            vd = agent.view().vd("fast")
            self.assertEqual((vd["read_policy"]["requested"], vd["drive_cache_policy"]),
                             ("adaptive_read_ahead", "off"))
            wrong = agent.ctl("/c0/v0", "set", "preset=safest", "wrcache=purple", check=False)
            self.assertIn("wrcache= does not take \"purple\"", wrong.stdout)
            self.assertEqual(agent.view().vd("fast")["read_policy"]["requested"],
                             "adaptive_read_ahead")

    def test_replace_by_the_guide(self):
        """offline, missing, insert: what the guides for StorCLI say."""
        drive = f"/c0/e{EID}/s1"
        with self.agent(slots=3) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
            refused = agent.json(drive, "set", "missing", check=False)["Command Status"]
            self.assertEqual(refused["Detailed Status"][0]["ErrCd"], 50)
            agent.ctl(drive, "set", "offline")
            agent.ctl(drive, "set", "missing")
            view = agent.view()
            self.assertEqual(view.drive(1)["state"], "unconfigured_good")
            self.assertIn("Msng", agent.ctl("/c0/dall", "show").stdout)
            self.assertRegex(agent.ctl("status", check=False).stdout,
                             rf"(?m)^  - .* d0 +Msng +serial {view.drive(1)['serial']}$")
            agent.ctl(drive, "insert", "dg=0", "array=0", "row=1")
            agent.until("the rebuild", lambda view: view.vd("data")["state"] == "optimal")

    def test_erase(self):
        drive = f"/c0/e{EID}/s0"
        with self.agent(slots=2) as agent:
            serial = agent.view().drive(0)["serial"]
            for words in ([], ["confirm=nobody"], ["crypto", f"confirm={serial}"]):
                done = agent.ctl(drive, "start", "erase", "simple", *words, check=False)
                self.assertNotEqual(done.returncode, 0, words)
            for many in (f"/c0/e{EID}/sall", "/c0/eall/s0", f"/call/e{EID}/s0"):
                every = agent.ctl(many, "start", "erase", "simple", "force", check=False)
                self.assertIn("too much to erase", every.stdout, many)
            self.assertIn("name the controller, the enclosure and the drives", every.stdout)
            idle = agent.json(drive, "show", "erase")["Response Data"][0]
            self.assertEqual(idle["Status"], "Not in progress")
            agent.ctl(drive, "set", "fault=slow", "latency=200")
            agent.ctl(drive, "start", "erase", "thorough", "patternA=0x11", f"confirm={serial}")
            self.assertNotEqual(agent.json(drive, "show", "erase")["Response Data"][0]["Status"],
                                "Not in progress")
            agent.ctl(drive, "stop", "erase")
            agent.until("the erase to stop", lambda view: view.drive(0)["state_reason"] is not None
                        and view.drive(0)["state_reason"]["code"] == "drive_partly_erased")
            agent.ctl(drive, "set", "fault=clear")
            agent.ctl(drive, "start", "erase", "force")
            agent.until("the erase", lambda view: view.drive(0)["state"] == "unconfigured_good")
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0", "name=data")

    def test_events(self):
        with self.agent(slots=2) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
            wait_for("the event", lambda: "Created VD 00/0 (RAID1" in
                     agent.ctl("/c0", "show", "events").stdout)
            text = agent.ctl("/c0", "show", "events", "type=latest=1").stdout
            self.assertEqual(text.count("seqNum: 0x"), 1)
            self.assertIn("Status = Success", text)

    def events(self, agent, *words):
        lines = agent.ctl("/c0", "show", "events", "format=jsonl", *words).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def test_event_filters(self):
        with self.agent(slots=3) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
            agent.fault(0, "pull")
            wait_for("the loss in the log", lambda: "virtual_drive_degraded" in [
                event["name"] for event in self.events(agent)])
            every = self.events(agent)
            self.assertEqual([e["seq"] for e in every],
                             list(range(every[0]["seq"], every[-1]["seq"] + 1)))
            self.assertEqual(self.events(agent, "count=3"), every[-3:])
            bad = self.events(agent, "filter=critical,fatal")
            self.assertEqual(bad, [e for e in every if e["class"] >= 2])
            self.assertEqual(self.events(agent, "filter=critical", "type=latest=1"), bad[-1:])
            self.assertEqual(self.events(agent, "since=1h"), every)
            self.assertEqual(self.events(agent, 'since="2099/01/01 00"'), [])
            listed = agent.json("/c0", "show", "events", "count=2", "J=2")
            rows = listed["Response Data"]["Controller Event Log Entries"]
            self.assertEqual([row["Event Description"] for row in rows],
                             [e["text"].replace("/c0/v0 (data)", "VD 00/0")
                              for e in every[-2:]])
            path = agent.directory / "saved"
            agent.ctl("/c0", "show", "events", f"file={path}", "filter=critical")
            self.assertEqual(path.read_text().count("seqNum: 0x"), len(bad))
            for wrong in ("type=some", "filter=blue", "since=soon", "count=-1", "format=xml"):
                document = agent.json("/c0", "show", "events", wrong, check=False)
                self.assertEqual(document["Command Status"]["Status"], "Failure", wrong)
            self.assertNotEqual(agent.ctl("/c0", "show", "events", "file=/none/where",
                                          check=False).returncode, 0)
            agent.stop()
            agent.start()
            wait_for("the new start in the log", lambda: self.events(
                agent, "type=sincereboot")[0]["seq"] > every[-1]["seq"])
            fresh = self.events(agent, "type=sincereboot")
            self.assertEqual(fresh[0]["name"], "controller_online")
            self.assertGreater(fresh[0]["seq"], every[-1]["seq"])
            self.assertEqual(self.events(agent, "type=sinceshutdown")[0]["name"],
                             "controller_shutdown")

    def test_performance(self):
        with self.agent(slots=3) as agent:
            agent.create("raid5", [0, 1, 2])
            agent.until("consistency", lambda view: view.vd()["consistent"])
            agent.ctl("/c0/v0", "delete", "perf")
            with agent.nbd() as handle:
                for number in range(20):
                    handle.pwrite(b"x" * 4096, number * 4096)
                for number in range(30):
                    handle.pread(4096, number * 4096)
                handle.flush()
            data = agent.json("/c0/v0", "show", "perf", "all")["Response Data"]
            rows = {row["Operation"]: row for row in data["/c0/v0 Latency"]}
            self.assertEqual([rows[kind]["Count"] for kind in ("Read", "Write", "Flush")],
                             [30, 20, 1])
            self.assertLessEqual(rows["Read"]["p50(us)"], rows["Read"]["p99(us)"])
            self.assertLessEqual(rows["Read"]["p99.9(us)"], rows["Read"]["Max(us)"])
            histogram = data["/c0/v0 Latency Histogram"]
            self.assertEqual(sum(row["Read"] for row in histogram), 30)
            drive = agent.json(f"/c0/e{EID}/s0", "show", "perf")["Response Data"]
            self.assertGreater(drive[f"/c0/e{EID}/s0 Latency"][1]["Count"], 0)
            with agent.control() as control:
                args = {"kind": "virtual_drive", "key": agent.view().vd_key()}
                answer = control.ask("query", {"name": "latency", "args": args})
                schema_check.check(answer, "latency_answer", "commands.schema.json")
                for wrong in ({}, {"kind": "drive", "key": "none"}, {"kind": "host", "key": "host"}):
                    with self.assertRaises(Refused):
                        control.ask("query", {"name": "latency", "args": wrong})
                    with self.assertRaises(Refused):
                        control.command("counters_reset", wrong)
                control.command("counters_reset", {"kind": "controller", "key": "c0"})
                again = control.ask("query", {"name": "latency", "args": args})
                self.assertEqual(again["read"]["count"], 0)
                self.assertGreater(again["since_us"], answer["since_us"])
            with agent.nbd() as handle:
                handle.pread(4096, 0)
            agent.ctl("/c0/v0", "delete", "perf")
            agent.ctl(f"/c0/e{EID}/s0", "delete", "perf")
            for path in ("/c0/v0", f"/c0/e{EID}/s0"):
                rows = agent.json(path, "show", "perf")["Response Data"][f"{path} Latency"]
                self.assertEqual([row["Count"] for row in rows], [0, 0, 0])
            self.assertNotEqual(agent.ctl("/c0/v9", "show", "perf", check=False).returncode, 0)

    def test_friendly_face(self):
        with self.agent(slots=4) as agent:
            agent.create("raid5", [0, 1, 2])
            self.assertIn("/c0  Arraywright: Optimal", agent.ctl("status").stdout)
            self.assertNotIn("!", agent.ctl("status").stdout)
            self.assertEqual(agent.json("/c0", "show", "health")["Response Data"]["Findings"], 0)
            agent.fault(1, "pull")
            text = agent.ctl("status").stdout
            self.assertIn('! /c0/v0: Virtual drive "data" is degraded. Not in sync: 252:1.', text)
            self.assertNotIn("\033", text)
            findings = agent.json("/c0", "show", "health")["Response Data"]["Health"]
            self.assertIn(("/c0/v0", "Bad"),
                          [(row["Object"], row["Health"]) for row in findings])
            self.assertIn("Write policy: write-through\n",
                          agent.ctl("explain", "/c0/v0").stdout)
            self.assertIn("The drive was removed.",
                          agent.ctl("explain", f"/c0/e{EID}/s1").stdout)
            self.assertNotEqual(agent.ctl("explain", "/c0/v7", check=False).returncode, 0)
            documents = json.loads(agent.ctl("status", "--json").stdout)
            for document in documents:
                schema_check.check(document, "object", "objects.schema.json")
            vd = json.loads(agent.ctl("explain", "/c0/v0", "--json").stdout)
            schema_check.check(vd, "virtual_drive", "objects.schema.json")
            self.assertEqual(agent.ctl("watch", "count=2").stdout.count("/c0  Arraywright"), 2)
            offered = agent.ctl("--complete", "/c0/v0", "set", "w").stdout.split()
            self.assertEqual(offered, ["wrcache="])

    def test_support_bundle(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            wait_for("events that are durable", lambda: self.events(agent))
            path = agent.directory / "bundle"
            agent.ctl("/c0", "show", "alilog", f"file={path}")
            text = path.read_text()
            for part in ("TOPOLOGY :", "Supported Adapter Operations :", "VD0 Properties :",
                         f"Drive /c0/e{EID}/s2 - Detailed Information :", "seqNum: 0x"):
                self.assertIn(part, text)
            self.assertNotEqual(agent.ctl("/c0", "show", "alilog", "file=/none/where",
                                          check=False).returncode, 0)

    def test_help_on_words(self):
        """Without an arrayd, too."""
        agent = self.agent(slots=1)
        everything = agent.ctl("help", "all").stdout
        for words, usage in ((["show", "help"], "  show [all]\n"),
                             (["/c0/v0", "help"], "  /cX/vX show [all]\n"),
                             (["/c0", "set", "help"], "  /cX set config file=PATH [dryrun]\n"),
                             (["/c0", "/e0", "/s0", "insert", "HELP"], "  /cX[/eX]/sX insert dg=A "),
                             (["help", "hotsparedrive"], "  /cX[/eX]/sX add hotsparedrive ")):
            text = agent.ctl(*words).stdout
            self.assertIn(usage, text, words)
            self.assertIn(usage, everything)
            self.assertLess(len(text), len(everything) / 2, words)
        topics = agent.ctl("help").stdout
        self.assertLess(len(topics.splitlines()), 40)
        for topic in re.findall(r"(?m)^  ([a-z]+) ", topics):
            text = agent.ctl("help", topic).stdout
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], topic)
            self.assertTrue(text, topic)
        self.assertEqual(agent.ctl("help", "nonsense", check=False).returncode, 2)
        missing = agent.ctl("help", "unsupported").stdout
        for what in ("/cX set cc=", "/cX/pX show", "journalctl -u arrayd"):
            self.assertIn(what, missing)

    def test_what_is_not_supported(self):
        with self.agent(slots=3) as agent:
            agent.create("raid1", [0, 1])
            agent.until("the end of its initialization", lambda v: v.vd()["consistent"] and all(
                doc["ended_at_us"] is not None for doc in v.all("operation").values()))
            before = agent.view().items
            for words in (["/c0", "set", "cc=conc"],
                          ["/c0/v0", "start", "migrate", "type=raid5", "option=add"],
                          [f"/c0/e{EID}/s2", "start", "initialization"],
                          ["/c0", "set", "jbod=on"]):
                answer = agent.json(*words, check=False)["Command Status"]
                self.assertEqual((answer["Status"], answer["Description"]),
                                 ("Failure", "Un-supported command"), words)
                self.assertEqual(answer["Detailed Status"][0]["ErrCd"], 255)
                self.assertEqual(agent.ctl(*words, check=False).returncode, 255)
            after = agent.view().items
            self.assertEqual([(i["key"], i["config_rev"]) for i in before],
                             [(i["key"], i["config_rev"]) for i in after])

    def test_properties_that_always_have_one_value(self):
        """Setting that value succeeds; another one is not supported, with the reason."""
        with self.agent(slots=1) as agent:
            for word, value in (("batterywarning=on", "ON"), ("foreignautoimport=off", "OFF"),
                                ("cacheflushint=4", "4 sec"), ("personality=raid", "RAID-Mode"),
                                ("ccrate=30", "30%"), ("cc=off", "Disabled"),
                                ("alarm=off", "ABSENT"), ("loadbalancemode=none", "None"),
                                ("bootdrive=off", "No Boot Drive")):
                data = agent.json("/c0", "set", word)["Response Data"]
                self.assertEqual(data["Controller Properties"][0]["Value"], value)
            for word, why in (("batterywarning=off", "always on"), ("jbod=on", "set jbod"),
                              ("cacheflushint=40", "in the background"), ("ncq=", "always off"),
                              ("personality=r", "set jbod")):
                done = agent.json("/c0", "set", word, check=False)["Command Status"]
                self.assertEqual(done["Description"], "Un-supported command", word)
                self.assertEqual(done["Detailed Status"][0]["Property"], word.split("=")[0])
                self.assertIn(why, done["Detailed Status"][0]["ErrMsg"], word)

    def test_a_refused_value_is_told_as_it_was_typed(self):
        """With what its option takes, never by the name that the protocol has for it."""
        drives = f"drives={EID}:0-3"
        cases = (
            (("/c0", "set", "rebuildrate=101"),
             'rebuildrate= does not take "101"; write rebuildrate=<0-100>'),
            (("/c0", "set", "patrolread=on", "delay=99999"),
             'delay= does not take "99999": it is too large (at most 8760); write delay=<0-8760>'),
            (("/c0", "add", "vd", "r5", drives, "name=a-name-that-is-too-long"),
             'name= does not take "a-name-that-is-too-long": it is too long (at most 15 bytes); '
             "write name=NAME[,...]"),
            (("/c0", "add", "vd", "r5", drives, "pdcache=purple"),
             'pdcache= does not take "purple": it is a word this agent does not know; '
             "write pdcache=on|off|default"),
            (("/c0", "add", "vd", "r5", drives, "size=0.0001MB"), "must be at least one row"),
            (("/c0", "add", "vd", "r5", drives, "size=0x10MB"), "must be a size such as"),
            ((f"/c0/e{EID}/s4", "start", "erase", "simple", "normal"), "say one of simple, normal"),
            ((f"/c0/e{EID}/s4", "start", "erase", "simple"), "Repeat with force"),
            ((f"/c0/e{EID}/s4", "add", "hotsparedrive", "dgs=9"), "there is no drive group 9"))
        with self.agent(slots=5) as agent:
            for words, said in cases:
                with self.subTest(words):
                    done = agent.ctl(*words, check=False)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(said, done.stdout + done.stderr)

    def test_a_size_is_rounded_down_to_whole_rows(self):
        """Of the creation and the expansion alike: three strips of 64 KiB."""
        row = 3 * 64 << 10
        with self.agent(slots=4) as agent:
            agent.ctl("/c0", "add", "vd", "r5", f"drives={EID}:0-3", "name=data", "size=50MB")
            self.assertEqual(agent.view().vd("data")["size_bytes"], (50 << 20) // row * row)
            refused = agent.ctl("/c0/v0", "expand", "size=50MB", check=False)
            self.assertIn("It can grow in steps of", refused.stdout)
            agent.ctl("/c0/v0", "expand", "size=51MB")
            self.assertEqual(agent.view().vd("data")["size_bytes"], (51 << 20) // row * row)

    def test_the_whole_configuration(self):
        """Deleted with force, but for what clients use, and restored."""
        with self.agent(slots=4) as agent:
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "size=8MB", "name=data")
            agent.ctl("/c0", "add", "vd", "r1", "aftervd=0", "size=8MB", "name=more")
            agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:2", "name=kept")
            agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive")
            groups = {vd["drive_group"] for vd in agent.view().all("virtual_drive").values()}
            self.assertEqual(len(groups), 2)
            free = agent.json("/c0", "show", "freespace")["Response Data"]["FREE SPACE DETAILS"]
            self.assertEqual([row["DG"] for row in free], [0])
            self.assertIn("Repeat with force", agent.ctl("/c0", "delete", "config",
                                                         check=False).stdout)
            self.assertEqual(len(agent.view().all("virtual_drive")), 3)
            with agent.nbd(name="kept"):
                done = agent.json("/c0", "delete", "config", "force", check=False)
                (refused,) = done["Command Status"]["Detailed Status"]
                self.assertEqual(refused["Object"], "/c0/v2")
                self.assertIn("Disconnect its users first", refused["ErrMsg"])
            self.assertEqual(agent.json("/c0", "delete", "config", "force")["Response Data"],
                             {"Virtual Drives deleted": 1, "Hot Spares deleted": 0})
            self.assertEqual(agent.view().all("virtual_drive"), {})
            self.assertIsNone(agent.view().drive(3)["hot_spare"])
            agent.ctl("/c0", "restore", "undo=2")
            agent.ctl("/c0", "restore", "undo=1")
            self.assertEqual({vd["name"] for vd in agent.view().all("virtual_drive").values()},
                             {"data", "more"})

    def test_each_drive_on_its_own(self):
        with self.agent(slots=3) as agent:
            agent.ctl("/c0", "add", "vd", "r0", "each", f"drives={EID}:0-2")
            vds = agent.view().all("virtual_drive").values()
            self.assertEqual([vd["level"] for vd in vds], ["raid0"] * 3)
            self.assertEqual(len({vd["drive_group"] for vd in vds}), 3)
            refused = agent.json("/c0", "add", "vd", "r5", "each", f"drives={EID}:0-2",
                                 check=False)
            self.assertEqual(refused["Command Status"]["Status"], "Failure")

    def test_help(self):
        agent = self.agent(slots=0)
        self.assertIn("arrayctl help TOPIC", agent.ctl("--help").stdout)
        self.assertIn("hotsparedrive", agent.ctl("help", "add").stdout)
        self.assertIn("arrayctl", agent.ctl("--version").stdout)
