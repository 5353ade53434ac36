#!/usr/bin/env python3
"""Checks that the libraries above the line need no operating system.

Every undefined symbol of the static archives must be defined in one of them or stand on
the list below: memory, strings, formatting, sorting and ISA-L.

usage: check_symbols.py NM ARCHIVE...
       check_symbols.py --self-test NM CC...
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ALLOWED = re.compile(
    r"""^(
    malloc|calloc|aligned_alloc|free
    |mem(cpy|move|set|cmp|chr|rchr|mem)|bcmp
    |str(len|nlen|cmp|ncmp|casecmp|ncasecmp|chr|rchr|spn|cspn|str|pbrk|cpy|ncpy|cat|ncat|dup|ndup|tok_r)
    |__str\w+_chk|__mem\w+_chk
    |strto(u?ll?|d)|__isoc23_strto(u?ll?)      # pure conversions; the locale is always "C"
    |v?snprintf|__v?snprintf_chk
    |qsort|bsearch
    |floor|ceil|sqrt|pow|exp|log|log2|fmod|lround|llround|ldexp   # timing models
    |__stack_chk_fail|_GLOBAL_OFFSET_TABLE_
    |__errno_location                          # strtoull() and friends report through it
    |__ctype_(b|tolower|toupper)_loc|isspace|isdigit|tolower|toupper
    |__popcountdi2|__u?(div|mod|divmod)ti[34]|__mulodi4|__muloti4     # compiler's arithmetic
    |__cpu_model|__cpu_features2               # compiler's: what the processor can
    # ISA-L
    |xor_gen|pq_gen|ec_init_tables|ec_encode_data|ec_encode_data_update|gf_vect_mad
    |gf_mul|gf_inv|gf_vect_mul|crc32_iscsi|crc32_gzip_refl
    # what sanitizers and coverage put in
    |__[atul]?[hl]?w?a?san_\w+|__ubsan_\w+|__sanitizer_\w+|__gcov_\w+|__llvm_\w+|__tsan_\w+
    )$""",
    re.VERBOSE,
)


def symbols(nm: str, archive: str) -> tuple[set[str], dict[str, str]]:
    """The names an archive defines, and those it leaves open with the object using them."""
    run = subprocess.run([nm, "-A", "--format=posix", archive], check=True, text=True,
                         capture_output=True)
    defined: set[str] = set()
    undefined: dict[str, str] = {}
    for line in run.stdout.splitlines():
        match = re.match(r"^(.*): (\S+) (\S)(?: |$)", line)
        if match is None:
            continue
        where, name, kind = match.groups()
        if kind in "Uwv":
            undefined[name] = where
        elif kind.isupper():
            defined.add(name)
    return defined, undefined


def check(nm: str, archives: list[str]) -> list[str]:
    defined: set[str] = set()
    undefined: dict[str, str] = {}
    for archive in archives:
        own_defined, own_undefined = symbols(nm, archive)
        defined |= own_defined
        undefined |= own_undefined
    return [
        f"{where}: {name} is not for code above the line"
        for name, where in sorted(undefined.items())
        if name not in defined and not ALLOWED.match(name)
    ]


def self_test(nm: str, compiler: list[str]) -> None:
    """The check itself must be able to fail."""
    sources = {
        "good": "#include <string.h>\nint other(void);\n"
                "int f(const char *s) { return (int)strlen(s) + other(); }\n",
        "helper": "int other(void);\nint other(void) { return 1; }\n",
        "bad": "#include <unistd.h>\nint g(void);\nint g(void) { return getpid(); }\n",
    }
    with TemporaryDirectory() as directory:
        archives = {}
        for name, text in sources.items():
            base = Path(directory) / name
            base.with_suffix(".c").write_text(text)
            subprocess.run([*compiler, "-O0", "-c", f"{base}.c", "-o", f"{base}.o"], check=True)
            subprocess.run(["ar", "rcs", f"{base}.a", f"{base}.o"], check=True)
            archives[name] = f"{base}.a"
        assert not check(nm, [archives["good"], archives["helper"]])
        assert any("other" in fault for fault in check(nm, [archives["good"]]))
        assert any("getpid" in fault for fault in check(nm, list(archives.values())))


def main() -> int:
    arguments = sys.argv[1:]
    if len(arguments) >= 3 and arguments[0] == "--self-test":
        self_test(arguments[1], arguments[2:])
        return 0
    if len(arguments) < 2 or arguments[0].startswith("--"):
        print(__doc__, file=sys.stderr)
        return 2
    faults = check(arguments[0], arguments[1:])
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
