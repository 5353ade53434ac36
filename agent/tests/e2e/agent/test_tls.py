"""NBD over TCP: with TLS, with client certificates, and what is refused."""

import os
import socket
import struct
import subprocess

import nbd
from cases import AgentCase, need
from harness import MIB, free_port

OPTION_MAGIC = b"IHAVEOPT"
STARTTLS, GO, LIST = 5, 7, 3
REPLY_ACK, REPLY_TLS_REQUIRED = 1, 0x80000005


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Authority:
    """A CA and what it signs, in the files libnbd expects."""

    def __init__(self, directory, name):
        self.directory = directory / name
        self.directory.mkdir()
        self.certificate = self.directory / "ca-cert.pem"
        self.key = self.directory / "ca-key.pem"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", f"/CN={name}", "-keyout", self.key,
                "-out", self.certificate)

    def sign(self, name):
        request = self.directory / "request"
        extensions = self.directory / "extensions"
        extensions.write_text("subjectAltName = DNS:localhost, IP:127.0.0.1\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-subj", f"/CN={name}", "-keyout", self.directory / f"{name}-key.pem",
                "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
                "-CAcreateserial", "-days", "2", "-extfile", extensions,
                "-out", self.directory / f"{name}-cert.pem")


@need("openssl")
@need("nbdcopy")
@need("nbdinfo")
class Tls(AgentCase):
    def setUp(self):
        self.port = free_port()

    def started(self, clients=""):
        """An agent that offers TLS; clients: a CA that must have signed them."""
        directory = self.agent(slots=0).directory
        self.authority = Authority(directory, "ours")
        self.authority.sign("server")
        folder = self.authority.directory
        agent = self.agent(slots=3, config=f'''nbd = {{
            unix = "{directory}/nbd.sock";
            tcp = {{ enabled = true; port = {self.port};
                     tls = {{ certificate = "{folder}/server-cert.pem";
                              key = "{folder}/server-key.pem"; {clients} }}; }}; }};''')
        agent.nbd_path = directory / "nbd.sock"
        agent.start()
        agent.create("raid5", [0, 1, 2])
        return agent

    def uri(self, folder):
        return f"nbds://localhost:{self.port}/data?tls-certificates={folder}"

    def client(self):
        handle = nbd.NBD()
        handle.set_uri_allow_local_file(True)
        return handle

    def test_a_drive_is_copied_through_tls(self):
        agent = self.started()
        image = agent.directory / "image"
        image.write_bytes(os.urandom(16 * MIB))
        uri = self.uri(self.authority.directory)
        info = subprocess.run(["nbdinfo", uri], check=True, capture_output=True, text=True).stdout
        self.assertIn("with TLS", info)
        exports = [export for export in agent.view().vd()["exports"] if export["kind"] == "nbd_tcp"]
        self.assertEqual(exports[0]["uri"], f"nbds://127.0.0.1:{self.port}/data")
        subprocess.run(["nbdcopy", "--connections=4", image, uri], check=True)
        back = agent.directory / "back"
        with back.open("wb") as file:
            file.truncate(agent.view().vd()["size_bytes"])
        subprocess.run(["nbdcopy", uri, back], check=True)
        with back.open("rb") as file:
            self.assertTrue(file.read(16 * MIB) == image.read_bytes())

    def test_clients_without_the_right_certificate_are_refused(self):
        directory = self.agent(slots=0).directory
        trusted = Authority(directory, "trusted")
        agent = self.started(clients=f'client_ca = "{trusted.certificate}";')
        folder = self.authority.directory
        handle = self.client()
        with self.assertRaises(nbd.Error):  # none at all
            handle.connect_uri(self.uri(folder))
            handle.pread(512, 0)
        handle = self.client()
        self.authority.sign("client")  # right for the server's own CA, but that is not trusted
        with self.assertRaises(nbd.Error):
            handle.connect_uri(self.uri(folder))
            handle.pread(512, 0)
        trusted.sign("client")
        for name in ("client-cert.pem", "client-key.pem"):
            (folder / name).write_bytes((trusted.directory / name).read_bytes())
        handle = self.client()
        handle.connect_uri(self.uri(folder))
        handle.pwrite(b"t" * 4096, 0, nbd.CMD_FLAG_FUA)
        handle.shutdown()
        self.assertEqual(agent.view().vd()["state"], "optimal")

    def dial(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        self.addCleanup(client.close)
        stream = client.makefile("rwb")
        self.addCleanup(stream.close)
        self.assertEqual(stream.read(18)[:16], b"NBDMAGIC" + OPTION_MAGIC)
        stream.write(struct.pack(">I", 3))
        return stream

    def option(self, stream, number, data=b"", more=b""):
        stream.write(OPTION_MAGIC + struct.pack(">II", number, len(data)) + data + more)
        stream.flush()
        reply = stream.read(20)
        if len(reply) < 20:
            return None
        _, _, kind, length = struct.unpack(">QIII", reply)
        stream.read(length)
        return kind

    def test_nothing_is_told_in_clear_text(self):
        self.started()
        stream = self.dial()
        name = struct.pack(">I", 4) + b"data" + struct.pack(">H", 0)
        self.assertEqual(self.option(stream, LIST), REPLY_TLS_REQUIRED)
        self.assertEqual(self.option(stream, GO, name), REPLY_TLS_REQUIRED)
        self.assertEqual(self.option(stream, STARTTLS), REPLY_ACK)
        stream.write(OPTION_MAGIC + struct.pack(">II", LIST, 0))  # not TLS
        stream.flush()
        self.assertNotIn(b"data", stream.read())

    def test_what_is_sent_ahead_of_tls_is_never_obeyed(self):
        """Clear text behind STARTTLS must not be taken for protected (as in CVE-2011-0411)."""
        self.started()
        stream = self.dial()
        ahead = OPTION_MAGIC + struct.pack(">II", LIST, 0)
        self.option(stream, STARTTLS, more=ahead)
        self.assertEqual(stream.read(), b"")

    def test_settings_that_would_open_the_data_to_everybody(self):
        directory = self.agent(slots=0).directory
        start = f'nbd = {{ unix = "{directory}/n"; tcp = {{ enabled = true; port = {self.port}; '
        agent = self.agent(slots=1, config=start + 'listen = "0.0.0.0"; }; };')
        self.assertIn("allow_plain", agent.fail_to_start())
        agent = self.agent(slots=1, config=start + 'tls = { certificate = "/none"; '
                           'key = "/none"; }; }; };')
        self.assertIn("/none", agent.fail_to_start())
        agent = self.agent(slots=1, config=start + 'listen = "0.0.0.0"; allow_plain = true; }; };')
        agent.start()
