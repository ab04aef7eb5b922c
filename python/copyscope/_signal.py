"""Recordings that a signal begins, by `copyscope attach PID` or kill -USR2 PID.

In a folder of the user, PID.json says that this program waits for the signal, PID.request.json is what attach wants, and
PID.status.json is how far the recording is.
"""

import atexit
import contextlib
import json
import os
import signal
import stat
import sys
import threading
import time

from . import _recorder
from ._program import CopyscopeError
from ._record import free_name, record

_stop = threading.Event()
_busy = threading.Lock()


def on_signal(*, seconds=10, steps=None, light=False, folder=".", signum=signal.SIGUSR2):
    """Lets SIGUSR2 begin a recording of `seconds`, or of `steps` steps. A second signal ends it early.

    The run goes into `folder`. `copyscope attach PID` sends the signal with its own wishes. Call it in the main thread.
    """
    own = {"seconds": seconds, "steps": steps, "light": light, "folder": os.path.abspath(folder)}
    # The handler runs between two instructions of the main thread, which may hold any lock.
    signal.signal(signum, lambda *_: threading.Thread(target=_serve, args=(own,), name="copyscope", daemon=True).start())
    _recorder.watch_nvtx()
    place = _place()
    _write("json", {"pid": os.getpid(), "signal": int(signum), "started": _start_time()}, place)
    atexit.register(_leave, place, os.getpid())


def _serve(own):
    if not _busy.acquire(blocking=False):
        _stop.set()
        return
    try:
        _stop.clear()
        wanted = _request()
        path = wanted.get("out") or free_name(os.path.join(own["folder"], f"recording-{os.getpid()}"), ".arrow")
        try:
            _record({**own, **wanted}, path, keep_parts="out" in wanted)
        except (CopyscopeError, ValueError) as error:
            _write("status.json", {"state": "failed", "problem": str(error)})
            if "out" not in wanted:
                print(f"copyscope: {error}", file=sys.stderr)
    finally:
        _busy.release()


#: Steps before those that are recorded, which are timed so that the run says what recording cost.
_steps_before = 10


def _record(wanted, path, keep_parts):
    steps = wanted.get("steps")
    seconds = None if steps else float(wanted.get("seconds") or 10)
    spans = f"{_steps_before + 1}..{_steps_before + int(steps)}" if steps else None
    recording = record(path, light=bool(wanted.get("light")), steps=spans, duration=seconds)
    recording.keeps_parts = keep_parts
    recording.begin()
    _write("status.json", {"state": "recording", "path": path})
    while _recorder.is_under_way() and not _stop.wait(0.1):
        pass
    # CUPTI delivers what was under way soon after recording has ended.
    time.sleep(1)
    recording.end()
    _write("status.json", {"state": "done", "path": path})
    if not keep_parts:
        print(f"copyscope: written to {path}", file=sys.stderr)


def _place():
    """Returns the folder of this user. Raises CopyscopeError if another user made it."""
    place = f"/tmp/copyscope-{os.getuid()}"
    os.makedirs(place, mode=0o700, exist_ok=True)
    found = os.lstat(place)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise CopyscopeError(f"{place} belongs to another user or is open to others. Delete it.")
    return place


def _start_time():
    """Returns when the kernel started this process, which tells it from a later one with its number."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
        return file.read().rpartition(")")[2].split()[19]


def _write(ending, content, place=None):
    path = os.path.join(place or _place(), f"{os.getpid()}.{ending}")
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump(content, file)
    os.replace(f"{path}.new", path)


def _request():
    """Returns what attach wants, once; empty if the signal came from elsewhere."""
    path = os.path.join(_place(), f"{os.getpid()}.request.json")
    try:
        with open(path, encoding="utf-8") as file:
            wanted = json.load(file)
        os.unlink(path)
    except (OSError, ValueError):
        return {}
    return wanted if isinstance(wanted, dict) else {}


def _leave(place, pid):
    if pid != os.getpid():
        return
    for ending in ("json", "request.json", "status.json"):
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(place, f"{pid}.{ending}"))
