"""
Builds the wheel of this folder, with nothing but Python: `python3 build_wheel.py FOLDER`. It is also the build backend of
`pip install .`. The same source always gives the same bytes.
"""

import base64
import hashlib
import json
import os
import re
import sys
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
PACKAGE = "turnpike_client"
#: The first time that a zip file can have.
TIME = (1980, 1, 1, 0, 0, 0)


def version() -> str:
    """The version of the npm package, as Python writes it: 0.1.0-alpha.1 is 0.1.0a1."""
    text = json.loads((ROOT / "../../package.json").read_text("utf8"))["version"]
    return re.sub(r"-(a|b|rc)[a-z]*\.", r"\1", text)


def metadata() -> str:
    """The METADATA of the wheel: the facts of pyproject.toml, and README.md."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
    ]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {one}; extra == "{extra}"' for one in needed)]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / project["readme"]).read_text("utf8")]
    return "\n".join(lines)


def files() -> dict[str, bytes]:
    """The files of the wheel, without its RECORD."""
    info = f"{PACKAGE}-{version()}.dist-info"
    sources = [path for path in (ROOT / PACKAGE).iterdir() if path.suffix == ".py" or path.name == "py.typed"]
    found = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted(sources)}
    found[f"{info}/LICENSE"] = (ROOT / "../../LICENSE").read_bytes()
    found[f"{info}/METADATA"] = metadata().encode()
    found[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: turnpike\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return found


def build_wheel(
    wheel_directory: str, config_settings: object = None, metadata_directory: object = None
) -> str:
    """Writes the wheel, and returns its name (PEP 517)."""
    del config_settings, metadata_directory
    name = f"{PACKAGE}-{version()}-py3-none-any.whl"
    record = f"{PACKAGE}-{version()}.dist-info/RECORD"
    found = files()
    lines = []
    for path, data in found.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    found[record] = "".join([*lines, f"{record},,\n"]).encode()
    os.makedirs(wheel_directory, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, data in found.items():
            entry = zipfile.ZipInfo(path, TIME)
            entry.external_attr = 0o644 << 16
            # Compressed bytes would depend on the version of zlib.
            wheel.writestr(entry, data, zipfile.ZIP_STORED)
    return name


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3 build_wheel.py FOLDER")
    print(Path(sys.argv[1]) / build_wheel(sys.argv[1]))
