"""Runs in the machine: asks the backend over REST until the answer is as wanted, or the time is up.

    ask.py URL AUTHORITY served          somebody can log in, the console is there, and arraysim runs
    ask.py URL AUTHORITY reported NAME   the one host, connected since this boot, reports the one
                                         virtual drive NAME
    ask.py URL AUTHORITY away            the one host is offline

AUTHORITY is a file, or - for none. Prints what it found in a line.
"""

import http.cookiejar
import json
import ssl
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime

PASSWORD = "/var/lib/arraywright-backend/admin-password"
LIMIT_S = 600  # for what hangs, not for slow machines


class Console:
    def __init__(self, url, authority):
        self._url = url
        handlers = [urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())]
        if authority != "-":
            context = ssl.create_default_context(cafile=authority)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)
        self._logged_in = False

    def fetch(self, path, body=None):
        request = urllib.request.Request(self._url + path)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with self._opener.open(request, timeout=60) as answer:
            return answer.read().decode()

    def get(self, path):
        if not self._logged_in:
            with open(PASSWORD) as file:
                password = file.read().strip()
            self.fetch("/api/v1/auth/login", {"username": "admin", "password": password})
            self._logged_in = True
        return json.loads(self.fetch(f"/api/v1{path}"))


def served(console):
    catalogue = console.get("/lab/catalogue")
    if '<div id="root">' not in console.fetch("/"):
        return None, "the console's page is not there"
    return f"console, log in, arraysim {catalogue['version']}", ""


def only(console, path):
    items = console.get(path)["items"]
    return (items[0], "") if len(items) == 1 else (None, f"{path}: {len(items)} of them")


def connected_since_boot(host):
    with open("/proc/uptime") as file:
        booted = time.time() - float(file.read().split()[0])
    connected = host["connected_at"]
    return connected is not None and datetime.fromisoformat(connected).timestamp() > booted


def reported(console, name):
    host, wrong = only(console, "/hosts")
    if wrong:
        return None, wrong
    drive, wrong = only(console, "/virtual-drives")
    if wrong:
        return None, wrong
    found = f"{host['name']} is {host['presence']}: {drive['name']} is {drive['state']}"
    if not connected_since_boot(host):
        return None, f"{found}, but connected at {host['connected_at']}"
    good = host["presence"] == "online" and drive["online"] and drive["host_id"] == host["id"]
    return (found, "") if good and drive["name"] == name else (None, found)


def away(console):
    host, wrong = only(console, "/hosts")
    if wrong:
        return None, wrong
    found = f"{host['name']} is {host['presence']}"
    return (found, "") if host["presence"] == "offline" else (None, found)


def main():
    url, authority, what, *more = sys.argv[1:]
    console = Console(url, authority)
    end = time.monotonic() + LIMIT_S
    while True:
        try:
            found, wrong = {"served": served, "reported": reported, "away": away}[what](console, *more)
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise
            found, wrong = None, f"{error}: {error.read()[:500]}"
        except (OSError, ValueError) as error:
            found, wrong = None, str(error)
        if found is not None:
            print(found)
            return 0
        if time.monotonic() > end:
            print(f"after {LIMIT_S} s: {wrong}")
            return 1
        time.sleep(2)


if __name__ == "__main__":
    sys.exit(main())
