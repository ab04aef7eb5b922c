"""pack_wheel.py FOLDER FILE: packs a folder as a wheel, with its RECORD. The same folder always gives the same bytes."""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

folder, target = Path(sys.argv[1]), Path(sys.argv[2])
info = next(folder.glob("*.dist-info")).name
# Metadata comes last, as PEP 427 recommends.
files = sorted((path for path in folder.rglob("*") if path.is_file()),
               key=lambda path: (path.parent.name == info, path.relative_to(folder).as_posix()))
record = []
half = target.with_suffix(".part")
with zipfile.ZipFile(half, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    def add(name, content):
        entry = zipfile.ZipInfo(name, date_time=(2020, 1, 1, 0, 0, 0))
        entry.external_attr = 0o100644 << 16
        wheel.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)

    for path in files:
        name, content = path.relative_to(folder).as_posix(), path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}\n")
        add(name, content)
    add(f"{info}/RECORD", "".join(record) + f"{info}/RECORD,,\n")
half.replace(target)
