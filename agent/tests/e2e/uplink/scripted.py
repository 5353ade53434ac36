"""A backend that a test plays itself: it takes the links of a real uplink one after the other."""

import base64
import hashlib
import json
import socket
import struct
import uuid

import schema_check

MESSAGES = "messages.schema.json"
PATIENCE_S = 20  # for an answer, and for the next connection


class Gone(Exception):
    """The uplink has closed the connection."""


def upgrade(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        data = connection.recv(4096)
        if not data:
            raise OSError("closed")
        head += data
    key = next(line.split(b": ", 1)[1] for line in head.split(b"\r\n")
               if line.lower().startswith(b"sec-websocket-key"))
    accept = base64.b64encode(
        hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                       b"Connection: Upgrade\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n")


def frame(payload, opcode=1, final=True):
    head = bytes([(0x80 if final else 0) | opcode])
    if len(payload) < 126:
        return head + bytes([len(payload)]) + payload
    if len(payload) < 65536:
        return head + bytes([126]) + struct.pack(">H", len(payload)) + payload
    return head + bytes([127]) + struct.pack(">Q", len(payload)) + payload


class Link:
    """One connection of the uplink. What it says is checked; what it has to know is acknowledged."""

    def __init__(self, connection):
        self._socket = connection
        self._socket.settimeout(PATIENCE_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._lines = connection.makefile("rb")
        self.events = []
        self.results = {}

    def close(self):
        self._lines.close()
        self._socket.close()

    def send_raw(self, data):
        try:
            self._socket.sendall(data)
        except OSError:
            raise Gone from None

    def send(self, payload):
        """A document, or the bytes of one."""
        if not isinstance(payload, bytes):
            payload = json.dumps(payload).encode()
        self.send_raw(frame(payload))

    def _exactly(self, count):
        data = self._lines.read(count)
        if len(data) < count:
            raise Gone
        return data

    def _payload(self):
        head = self._exactly(2)
        length = head[1] & 127
        if length > 125:
            length = int.from_bytes(self._exactly(2 if length == 126 else 8), "big")
        mask = self._exactly(4)
        masked = int.from_bytes(self._exactly(length), "big")
        long_mask = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
        return head[0] & 15, (masked ^ long_mask).to_bytes(length, "big")

    def read(self):
        """The next message; Gone: there is none."""
        while True:
            try:
                opcode, payload = self._payload()
            except (ConnectionError, ValueError):
                raise Gone from None
            if opcode == 8:
                raise Gone
            if opcode != 1:
                continue
            message = json.loads(payload)
            schema_check.check(message, message["t"], MESSAGES)
            self._note(message)
            return message

    def _note(self, message):
        if message["t"] == "event":
            self.events += message["events"]
            self.send({"v": 1, "t": "ack", "event_seq": message["events"][-1]["seq"]})
        elif message["t"] == "state" and not message["more"]:
            self.send({"v": 1, "t": "ack", "rev": message["to_rev"]})
        elif message["t"] == "result":
            self.results[message["command_id"]] = message
            self.send({"v": 1, "t": "ack", "result": message["command_id"]})

    def until(self, check):
        """The first message of which check(message) is true."""
        while True:
            message = self.read()
            if check(message):
                return message

    def ended(self):
        """Reads on until the uplink hangs up."""
        try:
            while True:
                self.read()
        except Gone:
            self.close()

    def leave(self):
        """Sends the uplink away, to come back at once."""
        self.send({"v": 1, "t": "goaway", "reason": "test", "spread_s": 0})
        self.ended()


class ScriptedBackend:
    """Enrols hosts and greets their links as a backend does, in the steps that the test wants."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE_S)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.server_id = str(uuid.uuid4())
        self.hello = None

    def close(self):
        self._listener.close()

    def connection(self):
        connection, _ = self._listener.accept()
        connection.settimeout(PATIENCE_S)
        return connection

    def answer(self, body):
        """To one request of HTTP, whatever it asks."""
        with self.connection() as connection:
            request = b""
            while b"\r\n\r\n" not in request:
                request += connection.recv(65536)
            head, _, rest = request.partition(b"\r\n\r\n")
            length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                          if line.startswith(b"content-length"))
            while len(rest) < length:
                rest += connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                               b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return head, rest

    def challenge(self):
        return {"v": 1, "t": "challenge", "ts": 1, "nonce": uuid.uuid4().hex,
                "server_id": self.server_id, "server_time_us": 1}

    def welcome(self, **more):
        """It has all that there is, unless it says otherwise."""
        return {"v": 1, "t": "welcome", "ts": 1, "session_id": str(uuid.uuid4()),
                "acked_rev": self.hello["state_rev"],
                "acked_event_seq": self.hello["event_seq_last"], "heartbeat_s": 300,
                "reconnect_window_s": 0, **more}

    def link(self):
        """The next connection, of which nothing has been said."""
        connection = self.connection()
        upgrade(connection)
        return Link(connection)

    def challenged(self, link=None):
        """After the uplink's hello; without a link, on the next one that it has not given up."""
        while True:
            try:
                asked = link or self.link()
                asked.send(self.challenge())
                self.hello = asked.until(lambda message: message["t"] == "hello")
                return asked
            except TimeoutError:
                raise
            except (Gone, OSError):
                if link is not None:
                    raise

    def live(self, link=None, **more):
        """A link after welcome."""
        link = self.challenged(link)
        link.send(self.welcome(**more))
        return link
