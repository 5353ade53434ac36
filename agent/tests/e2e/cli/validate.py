"""Checks JSON answers against the tables of reference.py: keys, order, spelling, types."""

import json
import re

import reference


def fits(value, kind):
    if isinstance(kind, tuple):
        return any(fits(value, part) for part in kind)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is str:
        return isinstance(value, str)
    return isinstance(value, str) and kind.fullmatch(value) is not None


def check_value(value, kind, where, extras=()):
    if isinstance(kind, list) and kind and isinstance(kind[0], list):
        assert isinstance(value, list), f"{where} is not a list: {value!r}"
        for index, row in enumerate(value):
            check_keys(row, kind[0], f"{where}[{index}]")
    elif isinstance(kind, list):
        check_keys(value, kind, where, extras)
    else:
        assert fits(value, kind), f"{where} is {value!r}, not {kind}"


def check_keys(document, pairs, where, extras=()):
    """The document's keys are those of the table, in its order; what is ours stands behind."""
    assert isinstance(document, dict), f"{where} is not an object: {document!r}"
    ours = [key for key in document if key in extras]
    given = [key for key in document if key not in extras]
    wanted = [pair[0] for pair in pairs
              if len(pair) == 2 or pair[0] in document]
    assert given == wanted, (
        f"{where}: missing {[k for k in wanted if k not in given]}, "
        f"unknown {[k for k in given if k not in wanted]}, or another order: {given}")
    assert list(document)[len(given):] == ours, f"{where}: {ours} stand before StorCLI's keys"
    for pair in pairs:
        if pair[0] in document:
            check_value(document[pair[0]], pair[1], f"{where} / {pair[0]}")


# Envelope

ENVELOPE = [
    ("CLI Version", str), ("Operating system", str), ("Controller", int, reference.OPTIONAL),
    ("Status Code", int, reference.OPTIONAL), ("Status", re.compile("Success|Failure")),
    ("Description", str),
]


def check_detailed(rows, where):
    assert isinstance(rows, list) and rows, f"{where}: the Detailed Status is empty"
    for row in rows:
        assert isinstance(row["ErrCd"], int) and isinstance(row["ErrMsg"], str), (where, row)
        assert isinstance(row["Status"], str), (where, row)
        assert {"Ctrl", "Controller", "Drive", "VD", "DG", "Enclosure", "Object"} & set(row), (
            where, row)


def check_envelope(text, controllers, code):
    """The document; `controllers` are the numbers it must be about (None: the host)."""
    assert all(byte < 128 for byte in text.encode()), "something outside of ASCII"
    for line in text.splitlines()[2:]:
        assert not re.match(r'\s*"(\\.|[^"\\])*"(?! : |,?$)', line), f"the separator in {line!r}"
    document = json.loads(text)
    assert list(document) == ["Controllers"]
    answers = document["Controllers"]
    assert len(answers) == len(controllers), f"{len(answers)} answers for {controllers}"
    for number, answer in zip(controllers, answers, strict=True):
        status = answer["Command Status"]
        assert list(answer) in (["Command Status"], ["Command Status", "Response Data"])
        detailed = status.get("Detailed Status")
        check_keys({k: v for k, v in status.items() if k != "Detailed Status"}, ENVELOPE, "status")
        assert ("Status Code" if number is None else "Controller") in status
        assert number is None or status["Controller"] == number
        if detailed is not None:
            check_detailed(detailed, f"controller {number}")
    failed = any(a["Command Status"]["Status"] == "Failure" for a in answers)
    assert failed == (code != 0), f"exit code {code}, but failure is {failed}"
    return answers


# Answers, by what was asked

def check_overview(data):
    check_keys(data, reference.OVERVIEW, "overview")


def check_show(data):
    check_keys(data, reference.SHOW, "show")
    check_counts(data)


def check_show_all(data):
    check_keys(data, reference.SHOW_ALL, "show all", reference.EXTRAS[""])
    names = [row["Policy"] for row in data["Policies"]["Policies Table"]]
    assert names == reference.POLICY_NAMES, names
    check_counts(data)


def check_counts(data):
    assert data["Virtual Drives"] == len(data["VD LIST"])
    assert data["Physical Drives"] == len(data["PD LIST"])
    assert data["Enclosures"] == len(data["Enclosure LIST"])
    groups = [row for row in data["TOPOLOGY"] if row["Arr"] == "-" and row["Type"] != "DRIVE"]
    assert data["Drive Groups"] == len(groups)
    for row in data["TOPOLOGY"]:
        spare = row["State"] == "DHS"
        assert spare == (row["BT"] == "-") == (row["PDC"] == "-") == (row["PI"] == "-"), row
        assert (row["State"] != "Msng") or (row["EID:Slot"], row["DID"]) == ("-", "-"), row


def check_drives(data):
    check_keys(data, [("Drive Information", [reference.DRIVE_ROW])], "drives")


def check_drives_all(data):
    names = list(data)
    assert len(names) % 2 == 0
    for name, detail in zip(names[::2], names[1::2], strict=True):
        assert re.fullmatch(r"Drive /c\d+(/e\d+)?/s\d+", name), name
        assert detail == f"{name} - Detailed Information"
        assert len(data[name]) == 1
        check_value(data[name], [reference.DRIVE_ROW], name)
        details = data[detail]
        check_keys(details, [(f"{name} State", reference.DRIVE_STATE_SECTION),
                             (f"{name} Device attributes", reference.DRIVE_ATTRIBUTES),
                             (f"{name} Policies/Settings", reference.DRIVE_POLICIES),
                             ("Inquiry Data", str)], detail)
        attributes = details[f"{name} Device attributes"]
        assert ("Model" in attributes) != ("Model Number" in attributes)


def check_drive_progress(data):
    check_value(data, [reference.DRIVE_PROGRESS_ROW], "progress")


def check_vds(data):
    check_keys(data, [("Virtual Drives", [reference.VD_ROW])], "virtual drives")


def check_vds_all(data):
    names = list(data)
    assert len(names) % 3 == 0
    for path, drives, properties in zip(names[::3], names[1::3], names[2::3], strict=True):
        number = re.fullmatch(r"/c\d+/v(\d+)", path)[1]
        assert (drives, properties) == (f"PDs for VD {number}", f"VD{number} Properties")
        check_value(data[path], [reference.VD_ROW], path)
        check_value(data[drives], [reference.DRIVE_ROW], drives)
        check_keys(data[properties], reference.VD_PROPERTIES, properties,
                   reference.EXTRAS["VD Properties"])


def check_vd_progress(data):
    check_keys(data, [("VD Operation Status", [reference.VD_PROGRESS_ROW])], "progress")


def check_auto_bgi(data):
    check_keys(data, [("VD Operation Status", [reference.VD_AUTO_BGI_ROW])], "autobgi")


def check_groups(data):
    check_keys(data, [("TOPOLOGY", [reference.TOPOLOGY_ROW]), ("VD LIST", [reference.VD_ROW]),
                      ("DG Drive LIST", [reference.DRIVE_ROW]),
                      ("FREE SPACE DETAILS", [[("DG", int), ("Size", reference.SIZE)]],
                       reference.OPTIONAL)], "drive groups")


def check_enclosures(data):
    check_keys(data, [("Properties", [reference.ENCLOSURE_ROW])], "enclosures")


def check_enclosures_all(data):
    for name, details in data.items():
        assert re.fullmatch(r"Enclosure /c\d+/e\d+ ", name), repr(name)
        assert list(details) == ["Information", "Inquiry Data", "Properties"]
        assert "Enclosure Serial Number" in details["Information"]
        assert list(details["Inquiry Data"])[:3] == [
            "Vendor Identification", "Product Identification", "Product Revision Level"]
        check_value(details["Properties"], [reference.ENCLOSURE_ROW], name)


def check_properties(data):
    check_keys(data, [("Controller Properties", [reference.CONTROLLER_PROPERTY_ROW])],
               "properties")


def check_battery(data):
    """Groups of Property and Value; a figure the battery does not tell has no row."""
    for name, rows in data.items():
        if name == "BBU_Modes":
            continue
        known = reference.BATTERY_PROPERTIES[name]
        check_value(rows, [reference.PROPERTY_ROW], name)
        given = [row["Property"] for row in rows]
        assert given == [key for key in known if key in given], (name, given)
    groups = list(data)
    assert groups == [name for name in reference.BATTERY_PROPERTIES if name in data] or (
        groups == ["BBU_Modes"])


def check_vault(data):
    """Every row of StorCLI's, in its order: what the medium has not got is N/A."""
    for name, rows in data.items():
        check_value(rows, [reference.PROPERTY_ROW], name)
        assert [row["Property"] for row in rows] == reference.VAULT_PROPERTIES[name], (name, rows)
    assert list(data) == [name for name in reference.VAULT_PROPERTIES if name in data]
    assert "Cachevault_Info" in data or list(data) == ["Properties"]


def check_health(data):
    check_keys(data, [("Controller Status", str), ("Findings", int),
                      ("Health", [[("Object", str), ("Health", str), ("Code", str), ("Since", str),
                                   ("Finding", str), ("Consequence", str), ("Next Step", str)]])],
               "health")
    assert data["Findings"] == len(data["Health"])


def check_bad_blocks(data):
    row = [("Drive", str, reference.OPTIONAL), ("VD", str, reference.OPTIONAL), ("LBA", int),
           ("Blocks", int), ("BlkSize", int), ("Kind", str)]
    check_keys(data, [("Bad Blocks", [row])], "bad blocks")


def check_smart(data):
    for name, rows in data.items():
        assert re.fullmatch(r"Smart Data Info /c\d+(/e\d+)?/s\d+", name), name
        assert list(rows)[:3] == ["State", "Why", "S.M.A.R.T alert flagged by drive"], name
        assert all(value == "N/A" or fits(value, int) for value in list(rows.values())[3:]), name


def check_performance(data):
    for name, rows in data.items():
        assert re.fullmatch(r"/c\d+(/e\d+)?/[sv]\d+ Latency( Histogram)?", name), name
        histogram = name.endswith("Histogram")
        first = ("Below(us)", int) if histogram else ("Operation", str)
        for row in rows:
            assert list(row)[0] == first[0] and fits(row[first[0]], first[1]), (name, row)
            assert len(row) == len(rows[0]), (name, row)
        assert histogram or len(rows) == 3, name


def check_events(data):
    [(name, rows)] = data.items()
    assert name == "Controller Event Log Entries" and 0 < len(rows) <= 5, data
    for row in rows:
        assert list(row) == list(rows[0]) and row["Event Description"], row
