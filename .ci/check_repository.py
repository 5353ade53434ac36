"""Static checks of the whole repository: generated files are current, docker-compose.yml is in
step with the rest, links in the documents lead somewhere, nothing machine-specific was committed.
Writes a JUnit file."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parent.parent


def tracked(*patterns: str) -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout
    return [ROOT / name for name in names.split("\0") if name]


def run(*command: str, cwd: Path = ROOT) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"
    return done.stdout


def c_tables_match_the_protocol() -> None:
    run(sys.executable, "agent/tools/generate_tables.py", "--check")


def fio_jobs_match_the_workloads() -> None:
    run(sys.executable, "agent/tools/generate_fio_jobs.py", "--check")


def unsupported_commands_match_the_documents() -> None:
    run(sys.executable, "agent/tools/generate_unsupported.py", "--check")


def python_types_match_the_protocol() -> None:
    run(sys.executable, "backend/tools/generate_protocol.py", "--check")


def german_matches_the_english() -> None:
    run(str(ROOT / ".run/venv/bin/python"), "backend/tools/generate_german.py", "--check")


def short_states_match_the_protocol() -> None:
    run(sys.executable, "backend/tools/generate_short_states.py", "--check")


def settings_file_matches_the_settings() -> None:
    run(str(ROOT / ".run/venv/bin/python"), "backend/tools/generate_settings.py", "--check")


def openapi_matches_the_backend() -> None:
    made = run(str(ROOT / ".run/venv/bin/arraywright"), "openapi", cwd=ROOT / "backend")
    assert json.loads(made) == json.loads((ROOT / "backend/openapi.json").read_text()), (
        "backend/openapi.json is not what the backend serves; run make generate")


def client_matches_openapi() -> None:
    path = ROOT / "frontend/src/api/schema.gen.ts"
    before = path.read_text()
    try:
        run("npm", "run", "--silent", "generate", cwd=ROOT / "frontend")
        assert path.read_text() == before, (
            "the TypeScript client is not made from backend/openapi.json; run make generate")
        # Header maps are open by nature; nothing else may be.
        types = re.sub(r"//.*|/\*.*?\*/|\"[^\"\n]*\"|\[name: string\]: unknown", "", before, flags=re.S)
        assert "unknown" not in types, "the API leaves a type open: the client has `unknown`"
    finally:
        path.write_text(before)


def protocol_schemas_are_valid() -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 (a test dependency)

    for path in tracked("agent/protocol/*.schema.json"):
        Draft202012Validator.check_schema(json.loads(path.read_text()))


def profiles_match_their_schemas() -> None:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 (a test dependency)

    profiles = ROOT / "agent/profiles"
    for path in tracked("agent/profiles/*.schema.json"):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        files = sorted((profiles / path.name.removesuffix(".schema.json")).glob("*.json"))
        assert files, f"{path.name} describes nothing"
        for file in files:
            profile = json.loads(file.read_text())
            errors = [f"{error.json_path} {error.message}"
                      for error in Draft202012Validator(schema).iter_errors(profile)]
            assert not errors, f"{file.relative_to(ROOT)}: {'; '.join(errors)}"
            assert profile["name"] == file.stem, f"{file.relative_to(ROOT)} has another name inside"
    for file in (profiles / "controllers").glob("*.json"):
        card = json.loads(file.read_text())
        for battery in card["batteries"]:
            assert (profiles / f"batteries/{battery}.json").is_file(), f"{file.name}: {battery}"
        for level, minimum in card["levels"].items():
            assert minimum <= card["ports"], f"{file.name}: {level} takes more drives than it has ports"


def compose_file_is_in_step() -> None:
    import yaml  # noqa: PLC0415 (a test dependency)

    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services = compose["services"]
    assert {"backend", "database", "agent"} <= set(services), sorted(services)
    for name, service in services.items():
        assert service.get("image") or service.get("build"), f"{name} has nothing to run"
        if "build" in service:
            build = service["build"]
            folder = ROOT / build["context"]
            assert (folder / build.get("dockerfile", "Dockerfile")).is_file(), name
        for option in service.get("security_opt", []):
            kind, _, value = option.partition("=")
            if kind == "seccomp":
                profile = json.loads((ROOT / value).read_text())
                allowed = {call for rule in profile["syscalls"]
                           if rule["action"] == "SCMP_ACT_ALLOW" for call in rule["names"]}
                assert {"io_uring_setup", "io_uring_enter", "io_uring_register"} <= allowed, name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (ROOT / source).exists(), f"{name} mounts {source}, which is not there"
            elif not source.startswith("/"):
                assert source in compose.get("volumes", {}), f"volume {source} is not declared"
        for other in service.get("depends_on", {}):
            assert other in services, f"{name} depends on {other}"
    for dockerfile in tracked("*Dockerfile*"):
        for words in re.findall(r"^COPY (?!--from)(.+)$", dockerfile.read_text(), flags=re.M):
            for source in words.split()[:-1]:
                if not source.startswith("--"):
                    assert any(ROOT.glob(source)), f"{dockerfile.name} copies {source}"


def compose_file_has_the_form_of_compose_files() -> None:
    run(str(ROOT / ".run/venv/bin/check-jsonschema"), "--builtin-schema", "vendor.compose-spec",
        "docker-compose.yml")


def images_are_built_from_the_files_of_the_packages() -> None:
    steps = []
    for name in ("agent", "backend"):
        dockerfile = (ROOT / name / "Dockerfile").read_text()
        steps.append(re.search(r"^FROM debian:12-slim AS \w+\n(COPY|#.*?\nCOPY) packaging/debian/control"
                               r" .*?\nRUN .*?apt-get build-dep .*?(?=\n\n)", dockerfile,
                               flags=re.M | re.S))
    assert steps[0] and steps[1], "an image does not build the agent with the packages' control file"
    assert (steps[0][0].partition("\n")[2] == steps[1][0].partition("\n")[2]), (
        "the Dockerfiles build different agents")
    backend = (ROOT / "backend/Dockerfile").read_text()
    for program in ("packaging/backend/wheels", "packaging/backend/install"):
        assert f"RUN {program} " in backend, f"backend/Dockerfile does not run {program}"


def packages_are_built_with_what_setup_installs() -> None:
    setup = (ROOT / ".ci/setup").read_text()
    listed = re.search(r"build_packages=\((.*?)\)", setup, flags=re.S)
    wanted = re.search(r"^Build-Depends:(.*?)^Standards", (ROOT / "packaging/debian/control").read_text(),
                       flags=re.M | re.S)
    assert listed and wanted
    libraries = {word for word in listed[1].split() if word.startswith("lib") and
                 word not in ("libc6-dev", "libcmocka-dev", "libnbd-dev", "libfuse3-dev")}
    missing = libraries - set(re.findall(r"[\w.+-]+", wanted[1]))
    assert not missing, f"packaging/debian/control does not name {', '.join(sorted(missing))}"


def nothing_machine_specific_is_committed() -> None:
    patterns = [r"/wor[k]/(main|shared|wt)", r'"resolve[d]": "http', r"https?://\S+/simple\b",
                r"https?://\S+\.(tgz|whl)\b", r"/roo[t]/\."]
    found = [f"{path.relative_to(ROOT)}: {pattern}" for path in tracked()
             if path.is_file()
             for pattern in patterns
             if re.search(pattern, path.read_text(errors="replace"))]
    assert not found, "\n".join(found)


GENERATED = re.compile(
    r"\.gen\.|routeTree|/generated/|/corpus/|/src/base/words\.[ch]$|/link/protocol\.py$")


# What mdadm prints, a word of the uplink, and a drive.
QUOTED = re.compile(r"Fully Initialised|unauthorised|greyhound", re.IGNORECASE)
BRITISH = re.compile(r"\w*(?:initialis|synchronis|recognis|optimis[ei]|randomis|authoris|organis|summaris"
                     r"|behaviour|colour|favour|honour|neighbour|licence)\w*|\b(?:un)?labelled\b", re.IGNORECASE)


def spelling_is_american() -> None:
    """The field's own: initialization, color."""
    found = []
    german = (":!frontend/src/locales/de/*", ":!agent/protocol/de.json")
    for path in tracked(":!*package-lock.json", ":!*/common_passwords.txt", ":!.ci/check_repository.py", *german):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for word in BRITISH.findall(QUOTED.sub("", line)):
                found.append(f"{path.relative_to(ROOT)}:{number}: {word}")
    assert not found, "\n".join(found)


def source_files_stay_readable() -> None:
    long = [f"{path.relative_to(ROOT)}: {lines} lines"
            for path in tracked("*.c", "*.h", "*.py", "*.ts", "*.tsx")
            if not GENERATED.search(str(path))
            if (lines := len(path.read_text().splitlines())) > 1000]
    assert not long, "\n".join(long)


def tests_hide_no_tests() -> None:
    """What a linter is sure of in our scripts and tests: two tests of one name are one test."""
    run(sys.executable, "-m", "ruff", "check", "--quiet", "--select", "F,E9", "agent", "e2e", ".ci", "packaging")


def every_test_of_the_agent_is_run() -> None:
    """A file of tests that no meson.build names would pass for ever."""
    left = []
    for path in tracked("agent/tests/**/test_*.py", "agent/tests/**/test_*.c"):
        build = path.parent / "meson.build"
        name = path.stem.removeprefix("test_").removeprefix("prop_")
        named = f"'({path.stem}|{re.escape(path.name)}|{name}|{name.replace('_', '-')})'"
        if not build.is_file() or not re.search(named, build.read_text()):
            left.append(str(path.relative_to(ROOT)))
    assert not left, "no meson.build runs " + ", ".join(left)


README_WORDS = 900


def readme_stays_short() -> None:
    words = len((ROOT / "README.md").read_text().split())
    assert words <= README_WORDS, (
        f"README.md has {words} words, and at most {README_WORDS} are allowed: "
        "move the details to docs/")


FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[`~]*[ \t]*$", flags=re.M | re.S)
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'][^)]*)?\)|\b(?:src|href)=[\"']([^\"']+)[\"']")
HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", flags=re.M)


def anchors(markdown: str) -> set[str]:
    """What a link into a Markdown file may name: its headings as GitHub turns them into anchors."""
    found: set[str] = set()
    for title in HEADING.findall(FENCE.sub("", markdown)):
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = base = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        number = 0
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.add(name)
    return found


def broken_links(path: Path, files: set[Path]) -> list[str]:
    prose = CODE.sub("", FENCE.sub("", path.read_text()))
    faults = []
    for target in (first or second for first, second in LINK.findall(prose)):
        if re.match(r"[a-z][a-z0-9+.-]*:|//", target, flags=re.I):
            continue  # another site: not looked at here
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        where = f"{path.relative_to(ROOT)}: ({target})"
        if other not in files and not any(other in file.parents for file in files):
            faults.append(f"{where} leads to no file of the repository")
        elif anchor and (other.suffix != ".md" or anchor not in anchors(other.read_text())):
            faults.append(f"{where} names a heading that is not there")
    return faults


def links_lead_somewhere() -> None:
    files = set(tracked())
    faults = [fault for path in tracked("*.md") if path.is_file()
              for fault in broken_links(path, files)]
    assert not faults, "\n".join(faults)


def commands_of_the_documents_are_run_or_have_a_reason() -> None:
    sys.path.insert(0, str(ROOT / ".ci"))
    import documents  # noqa: PLC0415 (its neighbor)

    blocks = documents.all_blocks()
    assert any(block.chain for block in blocks), "no block of any page is run"
    pages = {str(path.relative_to(ROOT)) for path in tracked("*.md")}
    unknown = [page for page in documents.PAGES if page not in pages]
    assert not unknown, f"not there any more: {', '.join(unknown)}"
    unread = [page for page in sorted(pages - set(documents.PAGES))
              if any(match["language"] in documents.SHELL
                  for match in documents.FENCE.finditer((ROOT / page).read_text()))]
    assert not unread, f"has shell commands, but .ci/documents.py does not read it: {unread}"


HASH = re.compile(r"[0-9a-f]{12}|[0-9a-f]{40}")
# Records of before name the commit alone, which may be gone.
TREES_SINCE = "2026-11-29T06:30"


def names_a_tree(record: dict[str, object]) -> bool:
    kept = record.get("trees", record)
    assert isinstance(kept, dict)
    return any(name not in ("commit", "previous") and isinstance(value, str) and HASH.fullmatch(value)
               for name, value in kept.items())


def records_name_trees() -> None:
    """A rebase renames a commit. What was tried is then still found by the hashes of its folders."""
    faults = []
    for path in tracked("*ledger.jsonl", ".ci/test-*.json"):
        text = path.read_text()
        records = ([json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl"
                   else json.loads(text).values())
        for record in records:
            when = next((record[name] for name in ("at", "began", "date") if name in record), "")
            old = when[:16].replace(" ", "T") < TREES_SINCE and when != ""
            if "commit" in record and not old and not names_a_tree(record):
                faults.append(f"{path.relative_to(ROOT)}: names only commit {record['commit']}")
    assert not faults, "\n".join(faults)


def reach_faults(word: str, row: dict[str, object], intents: str, console: str,
                 paths: dict[str, dict[str, object]]) -> list[str]:
    """What is wrong with one row of agent/protocol/reach.json. A face may be {"none": REASON}; only
    the first request of REST has to be the console's."""
    faults = [f"{word}: {face} is {row.get(face)!r}" for face in ("arrayctl", "rest")
              if not isinstance(row.get(face), str | list | dict)]
    rest = row.get("rest")
    requests = [rest] if isinstance(rest, str) else rest if isinstance(rest, list) else []
    for request in requests:
        method, path = request.split()
        if method.lower() not in paths.get("/api/v1" + path, {}):
            faults.append(f"{word}: the REST API has no {request}")
    if requests and f'"{word}"' not in intents:
        faults.append(f"{word}: the backend never sends it")
    if requests and "console" not in row:
        method, path = requests[0].split()
        if not re.search(rf"\b{method}\(\s*'/api/v1{re.escape(path)}'", console):
            faults.append(f"{word}: the console never calls {requests[0]}")
    return faults


def every_command_of_the_protocol_has_its_words() -> None:
    """arrayctl's lines are typed by agent/tests/e2e/cli/test_reach.py."""
    schema = json.loads((ROOT / "agent/protocol/commands.schema.json").read_text())["$defs"]
    reach = json.loads((ROOT / "agent/protocol/reach.json").read_text())
    paths = json.loads((ROOT / "backend/openapi.json").read_text())["paths"]
    intents = "".join(path.read_text() for path in tracked("backend/arraywright/commands/*.py"))
    console = "".join(path.read_text() for path in tracked("frontend/src/api/*.ts")
                      if not path.name.endswith((".gen.ts", ".test.ts")))
    faults = []
    for part, mark in (("commands", "x-effects"), ("queries", "x-class")):
        words = {word for word, body in schema.items() if mark in body}
        faults += [f"{word}: agent/protocol/reach.json and the protocol do not both have it"
                   for word in sorted(words ^ set(reach[part]))]
        for word, row in reach[part].items():
            faults += reach_faults(word, row, intents, console, paths)
    assert not faults, "\n".join(faults)


CHECKS: list[Callable[[], None]] = [
    c_tables_match_the_protocol, fio_jobs_match_the_workloads, python_types_match_the_protocol,
    german_matches_the_english,
    short_states_match_the_protocol,
    unsupported_commands_match_the_documents,
    protocol_schemas_are_valid, profiles_match_their_schemas, settings_file_matches_the_settings,
    openapi_matches_the_backend,
    client_matches_openapi, compose_file_is_in_step, compose_file_has_the_form_of_compose_files,
    images_are_built_from_the_files_of_the_packages, packages_are_built_with_what_setup_installs,
    nothing_machine_specific_is_committed, spelling_is_american, source_files_stay_readable, tests_hide_no_tests,
    every_test_of_the_agent_is_run,
    readme_stays_short, links_lead_somewhere, commands_of_the_documents_are_run_or_have_a_reason,
    every_command_of_the_protocol_has_its_words, records_name_trees,
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--junit", type=Path)
    options = parser.parse_args()
    cases, failures = [], 0
    for check in CHECKS:
        started = time.monotonic()
        problem = ""
        try:
            check()
        except Exception as error:  # every check is reported, whatever stopped it
            problem = str(error) if isinstance(error, AssertionError) else traceback.format_exc()
            failures += 1
            print(f"not ok {check.__name__}: {problem}")
        else:
            print(f"ok {check.__name__}")
        body = f"<failure>{escape(problem)}</failure>" if problem else ""
        cases.append(f"<testcase classname='repository' name={quoteattr(check.__name__)} "
                     f"time='{time.monotonic() - started:.2f}'>{body}</testcase>")
    if options.junit:
        options.junit.parent.mkdir(parents=True, exist_ok=True)
        options.junit.write_text(f"<testsuites><testsuite name='repository'>{''.join(cases)}"
                                 "</testsuite></testsuites>\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
