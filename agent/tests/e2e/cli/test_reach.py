"""Every command and query of the protocol has its words: the lines of agent/protocol/reach.json are
typed, and what arrayctl asks the agent for is what the table says."""

import contextlib
import json
import socket
import threading
import unittest
from pathlib import Path

import in_memory
from harness import EID, PATIENCE_S
from states import Scene, configured

in_memory.use()
REACH = Path(__file__).resolve().parents[3] / "protocol" / "reach.json"
FOREIGN = {"sets": [{"format": "ddf", "id": "00", "version": "01.02.00", "sequence": 1,
                     "name": "theirs", "origin": "", "digest": "00", "outcome": "optimal",
                     "refusal": None, "drives": [], "drive_states": [], "virtual_drives": []}],
           "damaged": []}


class Recorder:
    """Between arrayctl and arrayd. Notes what is asked for; passes on everything but commands,
    which it refuses, and the query for foreign sets, to which it knows of one."""

    def __init__(self, agent, path):
        self.agent = agent
        self.asked = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.agent.control_path))
            threading.Thread(target=self.serve, args=(client, server), daemon=True).start()

    def serve(self, client, server):
        with client, server:
            answers = threading.Thread(target=self.pass_on, args=(server, client, False))
            answers.start()
            self.pass_on(client, server, True)
            answers.join(PATIENCE_S)

    def pass_on(self, source, target, requests):
        with source.makefile("rb") as lines:
            for line in lines:
                answer = self.note(json.loads(line)) if requests else None
                try:
                    (target if answer is None else source).sendall(answer or line)
                except OSError:
                    break
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def note(self, request):
        """The answer, or None: it is the agent's to answer."""
        params = request["params"]
        body = None
        if request["method"] == "command":
            self.asked.append(params["op"])
            body = {"error": {"code": "busy", "params": {}, "text": "Recorded."}}
        elif request["method"] == "query":
            self.asked.append(params["name"])
            body = {"result": FOREIGN} if params["name"] == "foreign" else None
        if body is None:
            return None
        return json.dumps({"v": 1, "id": request["id"], **body}).encode() + b"\n"

    def close(self):
        self.socket.close()


class Reach(unittest.TestCase):
    def test_every_line_asks_for_what_the_table_says(self):
        with Scene() as scene:
            agent = scene.add(config=configured(scene.folder()))
            agent.ctl("/c0", "add", "vd", "r1", f"drives={EID}:0,1", "size=8MB*4",
                      "name=data,more,left,right")
            agent.ctl("add", "stripe", "name=wide", "vds=0:2,0:3")
            recorder = Recorder(agent, agent.directory / "recorder")
            self.addCleanup(recorder.close)
            for part in json.loads(REACH.read_text()).values():
                for word, row in part.items():
                    if not isinstance(row["arrayctl"], str):
                        self.assertTrue(row["arrayctl"]["reason"], word)
                        continue
                    with self.subTest(word):
                        recorder.asked.clear()
                        done = agent.ctl("--socket", str(recorder.socket.getsockname()),
                                         *row["arrayctl"].split(), check=False)
                        self.assertIn(word, recorder.asked, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
