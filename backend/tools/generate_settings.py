"""Writes packaging/backend/backend.env, the settings file of the package, from the settings.

generate_settings.py           write it
generate_settings.py --check   exit status 1 if it is not what it would write
"""

import sys
import textwrap
from pathlib import Path

from arraywright.settings import Settings

FILE = Path(__file__).resolve().parents[2] / "packaging/backend/backend.env"
# What an installed server has instead of the defaults.
INSTALLED = {
    "state_dir": "/var/lib/arraywright-backend",
    "ui_dir": "/usr/share/arraywright-backend/console",
    "initial_admin_password_file": "/var/lib/arraywright-backend/admin-password",
}
HEAD = """\
Settings of arraywright-backend.service and of the program arraywright. A line that is commented
out shows the default. After a change: systemctl restart arraywright-backend

Every user of this machine can read this file: keep the password of a database in a file of its own
(ARRAYWRIGHT_DATABASE_PASSWORD_FILE).
"""


def _comment(text: str) -> str:
    wrapped = [textwrap.wrap(part, 96) for part in text.split("\n\n")]
    return "\n#\n".join("\n".join(f"# {line}" for line in part) for part in wrapped)


def _line(name: str, default: object) -> str:
    if name in INSTALLED:
        return f"ARRAYWRIGHT_{name.upper()}={INSTALLED[name]}"
    shown = str(default).lower() if isinstance(default, bool) else default
    return f"#ARRAYWRIGHT_{name.upper()}={'' if shown is None else shown}"


def settings_file() -> str:
    parts = [_comment(HEAD)]
    for name, field in Settings.model_fields.items():
        text = field.description or name.replace("_", " ")
        parts.append(f"{_comment(text[0].upper() + text[1:] + '.')}\n{_line(name, field.default)}")
    return "\n\n".join(parts) + "\n"


def main() -> int:
    if "--check" in sys.argv[1:]:
        if FILE.read_text() == settings_file():
            return 0
        print(f"{FILE.name} is not made from the settings; run make generate", file=sys.stderr)
        return 1
    FILE.write_text(settings_file())
    return 0


if __name__ == "__main__":
    sys.exit(main())
