"""What a script declares in its PEP 723 block: a comment that holds TOML."""

import re
import sys

BLOCK_CHARACTERS_MAX = 20_000
PACKAGES_MAX = 100
PACKAGE_CHARACTERS_MAX = 200

BLOCK = re.compile(r"^# /// script[ \t]*\n((?:#(?: [^\n]*)?\n)+?)# ///[ \t]*$", re.MULTILINE)
TEXT = r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'"
LIST = re.compile(r"^dependencies[ \t]*=[ \t]*\[((?:" + TEXT + r"|#[^\n]*|[^\]\"'#])*)\]", re.MULTILINE)
WANTED = re.compile(r"^requires-python[ \t]*=[ \t]*(" + TEXT + r")", re.MULTILINE)


def declared(source):
    """{packages, newer_python}: the dependencies as written, and the `requires-python` that this Python is too old for."""
    text = source.replace("\r\n", "\n")
    found = BLOCK.search(text) if "# /// script" in text else None
    toml = "" if found is None else re.sub(r"(?m)^# ?", "", found.group(1)[:BLOCK_CHARACTERS_MAX])
    toml = re.split(r"(?m)^\[", toml, maxsplit=1)[0]  # the tables of tools come after what is asked for here
    listed, wanted = LIST.search(toml), WANTED.search(toml)
    items = re.findall(r"#[^\n]*|(" + TEXT + ")", listed.group(1)) if listed else []
    packages = [item[1:-1].strip() for item in items if item]
    least = re.search(r">=?\s*(\d+)\.(\d+)", wanted.group(1)) if wanted else None
    is_old = least is not None and sys.version_info[:2] < (int(least.group(1)), int(least.group(2)))
    return {
        "packages": [package[:PACKAGE_CHARACTERS_MAX] for package in packages if package][:PACKAGES_MAX],
        "newer_python": wanted.group(1)[1:-1] if is_old else None,
    }
