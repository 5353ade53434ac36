"""The event catalogue: numbers, classes and texts, what begins is ended, 3ware's numbers."""

import json
import re
import unittest
from pathlib import Path

AGENT = Path(__file__).resolve().parents[3]
EVENTS = json.loads((AGENT / "protocol/events.json").read_text())["events"]
LOCALES = {1, 2, 4, 8, 16, 32, 64, 128}

# Codes with the meaning MegaRAID gives them, and the class where its guide names one.
MEGARAID = {
    9: "info", 12: "info", 40: "info", 42: "info", 48: "info", 51: "critical", 53: "info",
    54: "info", 81: "info", 91: "info", 98: "info", 100: "info", 101: "critical",
    102: "critical", 104: "warning", 106: "info", 112: "warning", 114: "info", 132: "info",
    135: "info", 138: "info", 139: "info", 141: "info", 142: "warning", 145: "critical",
    146: "warning", 147: "info", 149: "info", 150: "fatal", 151: "info", 153: "info",
    154: "warning", 157: "info", 158: "info", 159: "info", 160: "info", 161: "warning",
    162: "warning", 163: "info", 194: "info", 195: "warning", 237: "warning", 238: "warning",
    242: "info", 249: "info", 250: "warning", 251: "critical", 252: "fatal", 253: "warning",
    257: "warning", 267: "warning", 307: "warning"}

class Catalogue(unittest.TestCase):
    def test_numbers_and_texts(self):
        codes = [event["code"] for event in EVENTS]
        self.assertEqual(len(codes), len(set(codes)))
        for event in EVENTS:
            self.assertTrue(event["code"] < 1024 or event["code"] >= 60000, event["name"])
            self.assertIn(event["locale"], LOCALES, event["name"])
            self.assertEqual(set(re.findall(r"\{(\w+)\}", event["text"])) - set(event["params"]),
                             set(), event["name"])
            self.assertLessEqual(len(re.sub(r"\{\w+\}", "", event["text"])), 180, event["name"])
        by_code = {event["code"]: event["class"] for event in EVENTS}
        for code, word in MEGARAID.items():
            if code in by_code:
                self.assertEqual(by_code[code], word, code)

    def test_what_begins_is_ended(self):
        begun = {event["begins"] for event in EVENTS if "begins" in event}
        ended = {event["ends"] for event in EVENTS if "ends" in event}
        self.assertEqual(begun, ended)
        self.assertGreater(len(begun), 5)

    def test_numbers_of_3ware(self):
        for event in EVENTS:
            self.assertEqual("aen" in event, "aen_severity" in event, event["name"])
            if "aen" in event:
                self.assertRegex(event["aen"], "^0x00[0-9A-F]{2}$")
                self.assertIn(event["aen_severity"], ("ERROR", "WARNING", "INFO"))
        severities = {event["aen"]: event["aen_severity"] for event in EVENTS if "aen" in event}
        for aen, severity in (("0x0001", "INFO"), ("0x0002", "ERROR"), ("0x0004", "ERROR"),
                              ("0x0019", "WARNING"), ("0x001A", "INFO"), ("0x001E", "ERROR"),
                              ("0x001F", "INFO")):
            self.assertEqual(severities[aen], severity)


class Pairs(unittest.TestCase):
    """begin_end() must notice what it is for."""

    def test_checker(self):
        def event(name, key="a"):
            return {"name": name, "key": key, "seq": 1, "text": name}

        good = [event("rebuild_started_auto"), event("rebuild_paused"), event("rebuild_resumed"),
                event("rebuild_completed"), event("bgi_started", "b"), event("bgi_completed", "b")]
        self.assertEqual(unpaired(good), [])
        self.assertEqual(len(unpaired(good[:1])), 1)
        self.assertEqual(len(unpaired([good[0], good[0], good[3]])), 1)
        self.assertEqual(len(unpaired([good[3]])), 1)


def unpaired(events, open_ended=()):
    """Complaints about states that begin twice, end unbegun or do not end."""
    kinds = {event["name"]: event for event in EVENTS}
    running, complaints = set(), []
    for event in events:
        kind = kinds[event["name"]]
        if event["name"] == "controller_online":
            running.clear()
        begins, ends = kind.get("begins"), kind.get("ends")
        if begins in ("rebuild", "bgi", "resync", "learn"):
            if (begins, event["key"]) in running:
                complaints.append(f"{event['text']}: it runs already")
            running.add((begins, event["key"]))
        if ends in ("rebuild", "bgi", "resync", "learn"):
            if (ends, event["key"]) not in running:
                complaints.append(f"{event['text']}: it was not running")
            running.discard((ends, event["key"]))
    complaints += [f"{state} of {key} did not end" for state, key in running
                   if state not in open_ended]
    return complaints
