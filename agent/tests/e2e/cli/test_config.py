"""/cX get config and set config: a whole configuration out of one controller and into another that
has the same drives, all of it or nothing."""

import json
import re
import shutil
import subprocess

import in_memory
from cases import AgentCase, PlainFiles, need
from harness import EID, wait_for

in_memory.use()

SETTINGS = ("rebuild_rate_percent", "bgi_rate_percent", "auto_rebuild", "emergency_spare",
            "emergency_unconfigured", "mixed_media", "mixed_interfaces", "copyback",
            "predictive_copyback", "glitch_seconds", "coercion", "patrol_mode", "patrol_rate_percent",
            "patrol_delay_hours", "patrol_ssds", "patrol_drives_max")
OF_A_VD = ("name", "level", "size_bytes", "strip_bytes", "drives_per_span", "span_count",
           "io_policy", "drive_cache_policy", "degraded_policy", "access", "stripe_log",
           "stripe_log_mode", "hedged_reads")


def essence(view):
    """What is configured, in terms that another controller has too."""
    groups = view.all("drive_group")
    places = {key: doc["slot"] for key, doc in view.all("drive").items()}
    indexes = {key: doc["index"] for key, doc in groups.items()}
    [controller] = view.all("controller").values()
    return {
        "settings": [controller[name] for name in SETTINGS],
        "groups": [[doc["level"], [places[m["drive"]] for m in doc["members"]]]
                   for _, doc in sorted(groups.items(), key=lambda item: item[1]["index"])],
        "virtual_drives": sorted(
            [indexes[doc["drive_group"]], *(doc[name] for name in OF_A_VD),
             doc["write_policy"]["requested"], doc["read_policy"]["requested"]]
            for doc in view.all("virtual_drive").values()),
        "spares": sorted([places[key], sorted(indexes[g] for g in doc["hot_spare"]["drive_groups"]),
                          doc["hot_spare"]["enclosure_affinity"], doc["hot_spare"]["revertible"]]
                         for key, doc in view.all("drive").items() if doc["hot_spare"]),
    }


class Config(AgentCase):
    def configured(self, slots=12):
        """Several levels, two virtual drives in one group, spares of both kinds."""
        agent = self.agent(slots=slots).start()
        at = f"drives={EID}:"
        for words in (["r5", f"{at}0-2", "size=32MB", "name=one", "strip=128", "wb", "ra",
                       "ondegrade=wt"],
                      ["r10", f"{at}3-6", "name=ten", "pdcache=off", "cached"],
                      ["r1", f"{at}7,8,9,10", "PDperArray=4", "name=four"]):
            agent.ctl("/c0", "add", "vd", *words)
        view = agent.view()
        with agent.control() as control:
            control.command("vd_create", {
                "controller": "c0", "level": "raid5", "name": "two", "size_bytes": 16 << 20,
                "drive_group": view.vd("one")["drive_group"]})
        vds = {doc["name"]: doc["path"] for doc in agent.view().all("virtual_drive").values()}
        agent.ctl(vds["one"], "set", "stripelog=on")
        agent.ctl(vds["two"], "set", "stripelog=off")
        agent.ctl(vds["ten"], "set", "accesspolicy=ro", "hedgedreads=on")
        agent.ctl(f"/c0/e{EID}/s11", "add", "hotsparedrive", "dgs=1", "enclaffinity",
                  "nonrevertible")
        agent.ctl("/c0", "set", "rebuildrate=55", "autorebuild=off", "copyback=off", "glitchtime=7")
        agent.ctl("/c0", "set", "prrate=12")
        agent.ctl("/c0", "set", "patrolread=on", "mode=manual", "delay=48", "includessds=on",
                  "maxconcurrentpd=3")
        agent.ctl("/c0", "set", "eghs", "smarter=on")
        return agent

    def blank(self, agent, *, lost=()):
        """An arrayd that has never seen these drives: the same identities, nothing on them."""
        agent.stop()
        shutil.rmtree(agent.state_dir)
        for slot in range(12):
            path = agent.directory / f"d{slot}"
            size = path.stat().st_size
            path.write_bytes(b"")
            if slot not in lost:
                with path.open("wb") as file:
                    file.truncate(size)
        return agent.start()

    def detailed(self, agent, *words):
        answer = agent.json("/c0", "set", "config", *words, check=False)["Command Status"]
        self.assertEqual(answer["Status"], "Failure")
        return [row["ErrMsg"] for row in answer["Detailed Status"]]

    def test_there_and_back(self):
        agent = self.configured()
        path = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={path}")
        self.assertEqual(json.loads(agent.ctl("/c0", "get", "config").stdout),
                         json.loads(path.read_text()))
        before = essence(agent.view())
        # What is there is left as it is.
        rev = agent.view().config_rev("virtual_drive", agent.view().vd_key("one"))
        done = agent.json("/c0", "set", "config", f"file={path}")["Response Data"]
        self.assertEqual(done["Steps"], 0)
        self.assertEqual(agent.view().config_rev("virtual_drive", agent.view().vd_key("one")), rev)
        # Nor is what an older document says nothing of touched.
        older = json.loads(path.read_text())
        del older["settings"]["copyback"], older["settings"]["predictive_copyback"]
        (agent.directory / "older").write_text(json.dumps(older))
        done = agent.json("/c0", "set", "config",
                          f"file={agent.directory / 'older'}")["Response Data"]
        self.assertEqual(done["Steps"], 0)
        self.blank(agent)
        empty = essence(agent.view())
        steps = agent.json("/c0", "set", "config", f"file={path}", "dryrun")["Response Data"]
        self.assertEqual(essence(agent.view()), empty)
        self.assertEqual([row["Object"] for row in steps["Steps To Do"]],
                         ["/c0", "one", "one", "two", "two", "ten", "ten", "four", f"/c0/e{EID}/s11"])
        agent.ctl("/c0", "set", "config", f"file={path}")
        self.assertEqual(essence(agent.view()), before)

    def test_nothing_or_all(self):
        agent = self.configured()
        path = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={path}")
        config = json.loads(path.read_text())
        self.blank(agent)
        empty = essence(agent.view())
        # What the plan cannot know is refused while it runs: all before it is undone.
        config["hot_spares"][0]["drive_groups"] = [2]
        for vd in config["drive_groups"][2]["virtual_drives"]:
            vd["access"] = "invisible"
        path.write_text(json.dumps(config))
        self.assertRegex(self.detailed(agent, f"file={path}")[0], "access")
        self.assertEqual(essence(agent.view()), empty)
        self.assertEqual({doc["state"] for doc in agent.view().all("drive").values()},
                         {"unconfigured_good"})

    def test_what_exists_is_never_overwritten(self):
        agent = self.configured()
        path = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={path}")
        self.blank(agent)
        agent.create("raid1", [2, 3], name="mine")
        before = essence(agent.view())
        for more in ([], ["dryrun"]):
            texts = self.detailed(agent, f"file={path}", *more)
            self.assertEqual(sum("in use (online)" in text for text in texts), 2, texts)
            self.assertEqual(essence(agent.view()), before)
        agent.ctl("/c0/v0", "del", "force")
        agent.fault(5, "pull")
        wait_for("the drive to be away", lambda: not agent.view().drive(5)["present"])
        self.assertEqual(len(self.detailed(agent, f"file={path}")), 1)
        self.assertEqual(agent.view().all("virtual_drive"), {})

    def test_what_is_no_configuration_is_refused(self):
        agent = self.configured()
        path = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={path}")
        good = json.loads(path.read_text())
        before = essence(agent.view())

        def changed(change):
            config = json.loads(json.dumps(good))
            change(config)
            return json.dumps(config)

        for text in ("", "[]", "{}", "{", '{"format": "arraywright-config", "version": 1}',
                     changed(lambda c: c.update(version=2)),
                     changed(lambda c: c.update(more=1)),
                     changed(lambda c: c["settings"].update(rebuild_rate_percent=101)),
                     changed(lambda c: c["settings"].pop("auto_rebuild")),
                     changed(lambda c: c["drive_groups"].append(c["drive_groups"][0])),
                     changed(lambda c: c["drive_groups"][0].update(drives=[])),
                     changed(lambda c: c["drive_groups"][0]["drives"][0].update(drive=None)),
                     changed(lambda c: c["drive_groups"][0]["virtual_drives"][0].update(name="")),
                     changed(lambda c: c["drive_groups"][0]["virtual_drives"][0].update(
                         size_bytes=-1)),
                     changed(lambda c: c["drive_groups"][0]["virtual_drives"][0].update(
                         size_bytes=1 << 70)),
                     changed(lambda c: c["hot_spares"][0].update(drive_groups=[9]))):
            path.write_text(text)
            self.assertTrue(self.detailed(agent, f"file={path}")[0], text[:80])
        for name in ("none", ".", "/dev/zero"):
            self.assertTrue(self.detailed(agent, f"file={agent.directory / name}"))
        self.detailed(agent)
        self.assertEqual(essence(agent.view()), before)
        self.assertNotEqual(agent.ctl("/c0", "get", "config", "file=/none/where",
                                      check=False).returncode, 0)


@need("mkfs.ext4")
class OnFiles(PlainFiles):
    def test_a_drive_with_data_says_what_frees_it(self):
        agent = self.host(2)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        saved = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={saved}")
        agent.stop()
        shutil.rmtree(agent.state_dir)
        for number in range(2):
            path = agent.directory / f"plain{number}"
            size = path.stat().st_size
            path.write_bytes(b"")
            with path.open("wb") as file:
                file.truncate(size)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(agent.directory / "plain1")], check=True)
        agent.start()
        refused = agent.ctl("/c0", "set", "config", f"file={saved}", check=False)
        self.assertNotEqual(refused.returncode, 0)
        command = re.search(r'erase it with "([^"]+)"', refused.stdout)[1]
        agent.ctl(*command.split(), "force", f"confirm={agent.view().drive(1)['serial']}")
        wait_for("the erasure", lambda: "Successfully" in agent.ctl(
            "/c0", "set", "config", f"file={saved}", check=False).stdout or
            agent.view().all("virtual_drive"))
        self.assertEqual(agent.view().vd("data")["level"], "raid1")

