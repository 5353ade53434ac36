"""The commands of the documents, and what runs them.

Above every fenced block of shell commands stands a comment that readers do not see. It is one of

    <!-- run: CHAIN -->
    <!-- run: CHAIN | "what the page says to replace" => "$WHAT_THE_TEST_HAS" | skip "words": why -->
    <!-- run: CHAIN | last -->
    <!-- run: CHAIN | serves "what curl is told, to get the page that the command serves" -->
    <!-- run by: FILE -->
    <!-- not run: the reason -->

Blocks of a chain are run verbatim, one after the other in the order of PAGES, in one shell that
ends at the first command that fails (.ci/run_documents.py); those with `last` after all others. What
stands left of => is replaced before, and a line that holds the words of a `skip` is left out. A block
with `serves` is one command that does not end: it is stopped once it serves the console's page. `run by`
names a program of the repository that holds each command of the block. A new block without such a
comment fails.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ["README.md", "docs/install.md", "docs/first-steps.md", "docs/upgrade.md", "docs/troubleshooting.md",
         "docs/api.md", "docs/monitoring.md",
         "docs/recovery.md", "docs/security.md", "docs/storcli.md", "docs/prediction.md",
         "docs/limits.md", "docs/speed.md", "docs/scale.md", "docs/testing.md", "docs/README.md", "ARCHITECTURE.md",
         "CONTRIBUTING.md", "SECURITY.md", "backend/README.md", "frontend/README.md"]
# What a chain is run in; see run_documents.py.
CHAINS = {
    "agent": "a Debian 12 root: a storage host without the package",
    "backend": "a Debian 12 root: the machine of the backend, with an agent",
    "demo": "this checkout, beside a demo that runs; cheap, a part of make test",
}
SHELL = ("sh", "bash", "shell", "console")
COMMAND = re.compile(r"^ *(?:\$ |# )?(?:sudo|arrayctl|arrayd|arraywright[\w-]*|storcli(?:64)?|tw_cli|make|apt|curl|docker) \S",
                     flags=re.M)
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+)(?P<language>[\w-]*)[^\n]*\n"
                   r"(?P<body>.*?)^(?P=indent)(?P=fence)[ \t]*$", flags=re.M | re.S)
COMMENT = re.compile(r"<!--\s*(?P<text>(?:run|run by|not run):(?:(?!-->).)*?)\s*-->\s*\Z", flags=re.S)
REPLACE = re.compile(r'\A"(?P<old>.+)" => "(?P<new>.*)"\Z')
SERVES = re.compile(r'\Aserves "(?P<request>.+)"\Z')
SKIP = re.compile(r'\Askip "(?P<words>.+)": (?P<why>\S+ \S+.*)\Z', flags=re.S)
HINT = ("Write one of these lines above the block: <!-- run: CHAIN --> with the CHAIN "
        f"{', '.join(CHAINS)}; <!-- run by: FILE -->; <!-- not run: the reason -->. "
        "See .ci/documents.py.")


class DocumentError(Exception):
    """Text for people."""


@dataclass
class Block:
    page: str
    line: int
    commands: str
    chain: str = ""
    run_by: str = ""
    reason: str = ""
    replaced: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    last: bool = False
    serves: str = ""

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"

    def script(self) -> str:
        kept = "".join(line for line in self.commands.splitlines(keepends=True)
                       if not any(words in line for words in self.skipped))
        for old, new in self.replaced:
            kept = kept.replace(old, new)
        return kept


def annotate(block: Block, text: str) -> None:
    kind, _, rest = text.partition(":")
    first, *options = [part.strip() for part in re.split(r"\s\|\s", " ".join(rest.split()))]
    if kind == "not run":
        if options or len(first.split()) < 3:
            raise DocumentError(f"{block.where}: say in a few words why this is not run")
        block.reason = first
        return
    if kind == "run by":
        block.run_by = first
        program = ROOT / first
        if not program.is_file():
            raise DocumentError(f"{block.where}: there is no {first}")
        for command in plain_commands(block.commands):
            if command not in program.read_text():
                raise DocumentError(f"{block.where}: {first} does not run: {command}")
        return
    if first not in CHAINS:
        raise DocumentError(f"{block.where}: no chain {first!r}; there are {', '.join(CHAINS)}")
    block.chain = first
    for option in options:
        if replace := REPLACE.match(option):
            if replace["old"] not in block.commands:
                raise DocumentError(f"{block.where}: {replace['old']} is not in the block")
            block.replaced.append((replace["old"], replace["new"]))
        elif option == "last":
            block.last = True
        elif serves := SERVES.match(option):
            block.serves = serves["request"]
        elif skip := SKIP.match(option):
            if skip["words"] not in block.commands:
                raise DocumentError(f"{block.where}: no line has: {skip['words']}")
            block.skipped.append(skip["words"])
        else:
            raise DocumentError(f"{block.where}: what does this mean: {option}")


def plain_commands(commands: str) -> list[str]:
    return [text for line in commands.splitlines()
            if (text := re.sub(r"(^|\s+)#.*", "", line).strip())]


def blocks_of(page: str, text: str) -> list[Block]:
    blocks = []
    for match in FENCE.finditer(text):
        if match["language"] not in SHELL:
            if match["language"] == "" and COMMAND.search(match["body"]):
                line = text.count("\n", 0, match.start()) + 1
                raise DocumentError(f"{page}:{line}: a block of commands begins with ```sh")
            continue
        indent = match["indent"]
        commands = "".join(line.removeprefix(indent)
                           for line in match["body"].splitlines(keepends=True))
        block = Block(page, text.count("\n", 0, match.start()) + 1, commands)
        comment = COMMENT.search(text[:match.start()])
        if comment is None:
            raise DocumentError(f"{block.where}: nothing runs these commands. {HINT}")
        annotate(block, comment["text"])
        blocks.append(block)
    return blocks


def all_blocks() -> list[Block]:
    """Those of all pages; raises for the first that nothing runs and that gives no reason."""
    return [block for page in PAGES if (ROOT / page).is_file()
            for block in blocks_of(page, (ROOT / page).read_text())]


def chain_blocks(chain: str) -> list[Block]:
    """In the order in which they are run."""
    return sorted((block for block in all_blocks() if block.chain == chain),
                  key=lambda block: block.last)


def main() -> int:
    for block in all_blocks():
        fate = (f"run: {block.chain}" if block.chain else f"run by: {block.run_by}"
                if block.run_by else f"not run: {block.reason}")
        print(f"{block.where}: {fate}")
        for command in plain_commands(block.commands):
            note = "" if not any(words in command for words in block.skipped) else "  (skipped)"
            print(f"    {command}{note}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except DocumentError as error:
        sys.exit(str(error))
