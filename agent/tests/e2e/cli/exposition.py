"""Prometheus' text format, read as strictly as its own checker does: what is told of a family is
together and consistent, names and units are those of the conventions. That checker, promtool, is
asked as well where it is installed."""

import math
import re
import shutil
import subprocess

SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
OTHER_UNITS = re.compile(r"_(percent|us|ms|milliseconds|microseconds|minutes|hours|days|kib|mib|gib|"
                         r"kilobytes|megabytes|bits|fahrenheit|kelvin)(_|$)")
PROMTOOL = shutil.which("promtool")
PATIENCE_S = 60
PARTS = ("_bucket", "_sum", "_count")


class Family:
    def __init__(self, name, kind):
        self.name, self.kind, self.samples = name, kind, {}

    def value(self, suffix="", **labels):
        """Of the one series that has these labels."""
        (found,) = [value for (name, own), value in self.samples.items()
                    if name == self.name + suffix and labels.items() <= dict(own).items()]
        return found


def families(text):
    """{name: Family} of a whole text; AssertionError if it is not as it should be."""
    found, family, helped = {}, None, None
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped, told = line.removeprefix("# HELP ").split(" ", 1)
            assert told, line
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            assert name == helped and name not in found, line
            family = found[name] = Family(name, kind)
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            parts = [family.name + part for part in PARTS]
            assert match[1] in (parts if family.kind == "histogram" else [family.name]), line
            labels = tuple(sorted(LABEL.findall(match[2])))
            assert len(dict(labels)) == len(labels), line
            assert (match[1], labels) not in family.samples, f"twice: {line}"
            family.samples[match[1], labels] = float(match[3])
    for each in found.values():
        check(each)
    if PROMTOOL is not None:
        done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, text=True,
                              timeout=PATIENCE_S, capture_output=True)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), done.stderr
    return found


def check(family):
    name = family.name
    assert family.kind in ("gauge", "counter", "histogram"), name
    assert (family.kind == "counter") == name.endswith("_total"), name
    assert not name.endswith(PARTS) and not OTHER_UNITS.search(name), name
    assert not re.search(r"_(gauge|counter|histogram|summary)(_|$)", name), name
    for (_, labels), value in family.samples.items():
        assert not math.isnan(value), name
        assert not name.endswith("_info") or value == 1, name
        assert not name.endswith("_ratio") or 0 <= value <= 1, name
        assert ("le" in dict(labels)) <= (family.kind == "histogram"), name
    if family.kind == "histogram":
        check_histogram(family)


def check_histogram(family):
    series = {}
    for (name, labels), value in family.samples.items():
        own = dict(labels)
        bound = own.pop("le", None)
        one = series.setdefault(tuple(sorted(own.items())), {"buckets": []})
        if bound is None:
            one[name.removeprefix(family.name)] = value
        else:
            one["buckets"].append((float(bound), value))
    for labels, one in series.items():
        assert one["buckets"] == sorted(one["buckets"]), labels
        counts = [count for _, count in one["buckets"]]
        assert counts == sorted(counts), labels
        assert one["buckets"][-1] == (math.inf, one["_count"]), labels
        assert (one["_sum"] > 0) <= (one["_count"] > 0), labels
