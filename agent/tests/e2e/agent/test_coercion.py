"""Capacity coercion: a replacement may be a little smaller than the drives a group was made of."""

import unittest

from cases import AgentCase
from harness import EID, MIB

GIB = 1024 * MIB
RESERVED = 64 * MIB
# Sparse files; nothing is written over their whole length.
LARGE = 20 * 1024 + 64 + 100  # MiB: usable are 20 GiB and 100 MiB
SMALLER = LARGE - 90
TOO_SMALL = LARGE - 101


class Coercion(AgentCase):
    def host(self, *sizes_mib):
        agent = self.agent(slots=0, drives=[])
        listed = ",\n".join(
            f'{{ path = "{agent.directory}/d{slot}"; enclosure = {EID}; slot = {slot}; '
            f'emulated = {{ size = "{mib} MiB"; }}; }}' for slot, mib in enumerate(sizes_mib))
        text = agent.config_path.read_text().replace("drives = (\n  \n)", f"drives = (\n{listed}\n)")
        agent.config_path.write_text(text.replace("slots = 1;", "slots = 8;"))
        agent.start()
        agent.ctl("/c0", "set", "bgirate=0")
        return agent

    def usable(self, agent):
        return [agent.view().drive(slot)["usable_bytes"] for slot in range(4)]

    def test_a_smaller_replacement_fits(self):
        agent = self.host(LARGE, LARGE, SMALLER, TOO_SMALL)
        self.assertEqual(self.usable(agent), [20 * GIB] * 3 + [20 * GIB - 128 * MIB])
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.ctl("/c0/v0", "stop", "bgi", check=False)
        self.assertEqual(agent.view().vd()["size_bytes"], 20 * GIB)
        [group] = agent.view().all("drive_group").values()
        self.assertEqual((group["size_bytes"], group["free_bytes"]), (20 * GIB, 0))
        agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive", "dgs=0")
        refused = agent.ctl(f"/c0/e{EID}/s3", "add", "hotsparedrive", "dgs=0", check=False)
        self.assertNotEqual(refused.returncode, 0)

    def test_none(self):
        agent = self.host(LARGE, LARGE, SMALLER, TOO_SMALL)
        agent.ctl("/c0", "set", "coercion=0")
        self.assertEqual(self.usable(agent)[0], 20 * GIB + 100 * MIB)
        agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "name=data")
        agent.ctl("/c0/v0", "stop", "bgi", check=False)
        self.assertEqual(agent.view().vd()["size_bytes"], 20 * GIB + 100 * MIB)
        refused = agent.ctl(f"/c0/e{EID}/s2", "add", "hotsparedrive", "dgs=0", check=False)
        self.assertNotEqual(refused.returncode, 0)

    def test_what_exists_keeps_its_size(self):
        agent = self.host(LARGE, LARGE, LARGE, LARGE)
        agent.ctl("/c0", "set", "coercion=0")
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:0,1", "name=whole")
        agent.ctl("/c0", "add", "vd", "r0", f"drives={EID}:2,3", "name=part", "size=1GB")
        agent.ctl("/c0", "set", "coercion=2")
        agent.stop()
        agent.start()
        view = agent.view()
        self.assertEqual(view.all("controller")["c0"]["coercion"], "gib_1")
        self.assertEqual(view.vd("whole")["size_bytes"], 2 * (20 * GIB + 100 * MIB))
        self.assertEqual(view.drive(0)["usable_bytes"], 20 * GIB + 100 * MIB)
        # What is free of an existing group is coerced: 20 GiB are too little for steps of 1 GiB.
        agent.ctl("/c0", "add", "vd", "r0", "drivegroup=1", "name=rest")
        self.assertEqual(agent.view().vd("rest")["size_bytes"], 2 * 20 * GIB - GIB)

    def test_it_is_shown(self):
        agent = self.host(LARGE, 128, 128, 128)
        self.assertEqual(self.usable(agent)[1:], [64 * MIB] * 3)  # small drives are used whole
        for number, shown in ((1, "128MB"), (0, "None"), (2, "1GB")):
            agent.ctl("/c0", "set", f"coercion={number}")
            data = agent.json("/c0", "show", "coercion")["Response Data"]
            self.assertEqual(data["Controller Properties"],
                             [{"Ctrl_Prop": "Coercion", "Value": shown}])
            everything = agent.json("/c0", "show", "all")["Response Data"]
            self.assertEqual(everything["Policies"]["Drive Coercion Mode"], shown)
        for wrong in ("3", "-1", "yes", "", "128"):
            self.assertNotEqual(agent.ctl("/c0", "set", f"coercion={wrong}",
                                          check=False).returncode, 0, wrong)
        agent.ctl("/c0", "set", "coercion=1")
        details = agent.json(f"/c0/e{EID}/s0", "show", "all")["Response Data"]
        attributes = details[f"Drive /c0/e{EID}/s0 - Detailed Information"][
            f"Drive /c0/e{EID}/s0 Device attributes"]
        self.assertEqual([attributes[f"{kind} size"] for kind in ("Raw", "Non Coerced", "Coerced")],
                         ["20.160 GB [0x2852000 Sectors]", "20.098 GB [0x2832000 Sectors]",
                          "20.000 GB [0x2800000 Sectors]"])

    def test_saved_and_restored(self):
        agent = self.host(LARGE, 128, 128, 128)
        agent.ctl("/c0", "set", "coercion=2")
        path = agent.directory / "saved"
        agent.ctl("/c0", "get", "config", f"file={path}")
        agent.ctl("/c0", "set", "coercion=0")
        agent.ctl("/c0", "set", "config", f"file={path}")
        self.assertEqual(agent.view().all("controller")["c0"]["coercion"], "gib_1")


if __name__ == "__main__":
    unittest.main()
