"""What the other names of the program say in a state: 3ware's tw_cli, as a command and in its
shell, and MegaCLI. golden/NAME/STATE.txt holds the answers; UPDATE_GOLDEN=1 writes them anew."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from harness import ARRAYCTL, PATIENCE_S
from normalise import DIRECTORY, difference

GOLDEN = Path(__file__).resolve().parent / "golden"

TW_CLI = ["show", "show rebuild", "show verify", "show selftest", "info c0", "/c0 show all",
          "/c0 show unitstatus", "/c0 show allunitstatus", "/c0 show drivestatus",
          "/c0 show bbustatus", "/c0/u0 show", "/c0/u0 show all", "/c0/u1 show", "/c0/u2 show",
          "/c0/p1 show all", "/c0/p3 show status", "/c0/bbu show all", "/c1 show"]
# The same tables behind the prompt, some of them by way of the focus.
TW_SHELL = ["show", "/c0 show unitstatus", "/c0 show drivestatus", "info c0 bbustatus", "focus /c0",
            "show unitstatus", "focus u0", "show", "focus ..", "show allunitstatus", "focus /",
            "sched verify c0", "/c0/u0 show status", "quit"]

MEGACLI = ["-LDInfo -Lall -aALL", "-LDInfo -L0 -a0 -NoLog", "-LDInfo -L7 -a0", "-LDGetNum -aALL",
           "-LdPdInfo -a0", "-LDGetProp -Cache -Lall -aALL", "-LDBI -ShowProg -Lall -aALL",
           "-PDList -aALL", "-pdinfo -physdrv[252:3] -aall", "-PDGetNum -aALL",
           "-PDRbld -ShowProg -PhysDrv [252:3] -a0", "-AdpAllInfo -aALL", "AdpCount",
           "-AdpBbuCmd -aALL", "-AdpBbuCmd -GetBbuStatus -a0", "-AdpPR -Info -a0", "-PDList -a5",
           "-v"]

RULES = [  # of the same width as what they stand for, because columns are counted; not at an end
    (r"\bEM[0-9A-F]{12}\b", "<serial>"),
    (r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<serial>"),
    (r"\b[0-9A-Fa-f]{32}\b", "<guid>"),
    (r"(?<=Serial Number = )\S+", "<serial>"),
    (r"(?<=serial number = )\S+", "<guid>"),
    (r"(?<=[re] Version = )\S+", "<version>"),
    (r"(?<=preferred start: ).+", "<time>"),
    (r"(?<=Serial No       : ).+", "<serial>"),
    (r"(?<=FW Package Build: ).+", "<version>"),
    (r"(?<=FW Version         : ).+", "<version>"),
    (r"(?<=Current Time                     : ).+", "<time>"),
    (r"(?<=Next Learn time: )(?!None).+", "<time>"),
    (r"(?<=Next start time: ).+", "<time>"),
    (r"(?<=WWN: )[0-9A-Fa-f]{16}", "<wwn>"),
    (r"(?<=SAS Address\(0\): 0x)[0-9A-Fa-f]{16}", "<wwn>"),
    (r"(?<=ompleted )\d+%(?:, Taken \d+ min\.| in \d+ Minutes\.)", "<progress>"),
]


def run(name, socket, words, stdin=None):
    """The program, called by this name."""
    with tempfile.TemporaryDirectory(prefix="aw-") as folder:
        program = Path(folder) / name
        program.symlink_to(Path(ARRAYCTL).resolve())
        done = subprocess.run([program, *words], text=True, input=stdin or "", cwd=folder,
                              timeout=PATIENCE_S, capture_output=True,
                              env={"ARRAYWRIGHT_SOCKET": socket})
    assert done.stderr == "", done.stderr
    return done


def replaced(match, value):
    """Names of days differ in width."""
    ends = match.string[match.end():match.end() + 1] in ("", "\n")
    return value if ends else value.ljust(len(match[0]))


def normalise(text):
    for pattern, value in RULES:
        text = re.sub(pattern, lambda match, value=value: replaced(match, value), text)
    text = re.sub(r"\b\d+%(\([AP]\))? *(?=[ \n])", r"<%>\1 ", text)
    return DIRECTORY.sub("<directory>", text)


def command_answers(name, socket, commands):
    """Each answer as {title: text}."""
    out = {}
    for command in commands:
        done = run(name, socket, command.split())
        out[f"$ {name} {command}"] = normalise(f"exit {done.returncode}\n{done.stdout}")
    return out


def shell_answer(socket):
    done = run("tw_cli", socket, [], "".join(f"{line}\n" for line in TW_SHELL))
    typed = " ; ".join(TW_SHELL)
    return {f"$ tw_cli < {typed}": normalise(f"exit {done.returncode}\n{done.stdout}")}


def shown(answers):
    return "".join(f"{title}\n{text}\n" for title, text in answers.items() if text)


def kept(path):
    """The answers in a file of golden answers."""
    answers = {}
    for part in ("\n" + path.read_text()).split("\n$ ")[1:]:
        title, _, text = part.partition("\n")
        answers[f"$ {title}"] = text
    return answers


def check(case, scene, state):
    """Every answer of every name against those that were kept. MegaCLI's are long: for all states
    but healthy the file holds how they differ."""
    megacli = command_answers("MegaCli64", scene.socket, MEGACLI)
    if state != "healthy":
        healthy = kept(GOLDEN / "MegaCli64" / "healthy.txt")
        megacli = {title: difference(healthy[title], text) for title, text in megacli.items()}
    answers = {"MegaCli64": megacli,
               "tw_cli": {**command_answers("tw_cli", scene.socket, TW_CLI),
                          **shell_answer(scene.socket)}}
    for name, found in answers.items():
        with case.subTest(name):
            path = GOLDEN / name / f"{state}.txt"
            if os.environ.get("UPDATE_GOLDEN"):
                path.parent.mkdir(exist_ok=True)
                path.write_text(shown(found))
            case.assertEqual(shown(found).splitlines(), path.read_text().splitlines(),
                             f"{name}, {state}: if this is meant, UPDATE_GOLDEN=1 writes it anew")
