"""Recordings that begin and end inside a running program."""

import atexit
import functools
import itertools
import os
import re
import shutil
import threading
import warnings

from . import _recorder
from ._program import CopyscopeError, run

_lock = threading.Lock()
_current = None
#: The library while step() has something to mark; None makes step() free.
_marking = None


def step(name="step"):
    """Marks that a step of the program begins, and that the one before it ends."""
    if _marking is not None:
        _marking.CopyscopeMarkStep(name.encode())


def end_step():
    """Marks that the last step ends, if work follows that belongs to no step."""
    if _marking is not None:
        _marking.CopyscopeEndStep()


class record:
    """Records what this process does on the GPU, as a context manager or a decorator.

    path      the run (an Arrow file); left out: recording.arrow, or the next name that is free
    light     without kernels, which cost the most
    lines     with the Python line of each copy and wait
    steps     "20..25,40..45": only these steps, counted from 1
    duration  seconds to record; delay: seconds to wait before

    If nothing can be recorded, a warning says why and the program goes on; `problem` has the reason.
    """

    def __init__(self, path=None, *, light=False, lines=True, steps=None, duration=None, delay=None):
        if steps is not None and (duration is not None or delay is not None):
            raise ValueError("steps chooses when to record, and so do duration and delay: give one or the other.")
        self._settings = {"light": light, "lines": lines, "steps": _spans(steps), "duration": _seconds("duration", duration),
                          "delay": _seconds("delay", delay)}
        self._asked = None if path is None else os.path.abspath(os.fspath(path))
        self.path = self._asked
        self.problem = None
        self._pid = None
        #: copyscope attach makes the run itself, also if the program ends first.
        self.keeps_parts = False
        _recorder.watch_nvtx()

    def __call__(self, function):
        """Records each call of a function: the first into its path, others under the next name that is free."""
        calls = 0

        @functools.wraps(function)
        def recorded(*args, **kwargs):
            nonlocal calls
            calls += 1
            path = self._asked if calls == 1 or self._asked is None else free_name(*os.path.splitext(self._asked))
            with record(path, **self._settings):
                return function(*args, **kwargs)

        return recorded

    def __enter__(self):
        try:
            self.begin()
        except CopyscopeError as error:
            self.problem = str(error)
            warnings.warn(f"Nothing is recorded. {error}", RuntimeWarning, stacklevel=2)
        return self

    def __exit__(self, kind, error, trace):
        try:
            self.end()
        except CopyscopeError as problem:
            self.problem = str(problem)
            warnings.warn(self.problem, RuntimeWarning, stacklevel=2)

    def explain(self, **options):
        """Returns what the run says (see copyscope.explain)."""
        from ._explain import explain

        if self.problem is not None:
            raise CopyscopeError(self.problem)
        return explain(self.path, **options)

    def begin(self):
        """Begins. Raises CopyscopeError with the reason if nothing is recorded."""
        global _current, _marking
        with _lock:
            if _current is not None:
                raise CopyscopeError(f"This program is being recorded into {_current.path} already.")
            self.path = self._asked or free_name(os.path.abspath("recording"), ".arrow")
            self.problem = None
            if os.path.lexists(self.parts):
                raise CopyscopeError(f"{self.parts} is there: an earlier recording left it. Delete it, or choose another path.")
            try:
                _refuse_other_file(self.path)
                _recorder.begin(self.parts, **self._settings)
            except OSError as error:
                raise CopyscopeError(f"No file can be written for {self.path}: {error.strerror}.") from error
            except CopyscopeError:
                shutil.rmtree(self.parts, ignore_errors=True)
                raise
            self._pid = os.getpid()
            _current = self
            _marking = _recorder.library()
        atexit.register(self.__exit__, None, None, None)

    def end(self):
        """Ends, and makes the run. Does nothing if it has ended, or in a process that was forked in between."""
        global _current, _marking
        with _lock:
            if _current is not self or self._pid != os.getpid():
                return
            if not self.keeps_parts:
                _marking.CopyscopeEndStep()
            _marking = None
            _recorder.end(wait=not self.keeps_parts)
            _current = None
        atexit.unregister(self.__exit__)
        if self.keeps_parts:
            return
        try:
            run("record", "--parts", self.parts, "--out", self.path)
        except CopyscopeError as error:
            kept = f" The recorded parts stay in {self.parts}." if os.path.isdir(self.parts) else ""
            raise CopyscopeError(f"{self.path} was not written. {error}{kept}") from error

    @property
    def parts(self):
        return f"{self.path}.parts"


def _spans(steps):
    if steps is None:
        return None
    text = str(steps)
    if not re.fullmatch(r"\d+(\.\.\d+)?(,\d+(\.\.\d+)?)*", text):
        raise ValueError(f'steps is {steps!r}. Name them as "20..25", "20..25,40..45" or 4.')
    spans = [(int(first), int(to or first)) for first, to in re.findall(r"(\d+)(?:\.\.(\d+))?", text)]
    ends = [0] + [to for _, to in spans]
    if any(not end < first <= to for end, (first, to) in zip(ends, spans)):
        raise ValueError(f"steps is {steps!r}. Steps are counted from 1 and named in order.")
    return ",".join(f"{first}..{to}" for first, to in spans)


def _seconds(name, value):
    if value is not None and not (isinstance(value, (int, float)) and 0 < value < float("inf")):
        raise ValueError(f"{name} is {value!r}. Give a number of seconds above 0.")
    return value


def free_name(stem, ending):
    """Returns a path that neither a file nor the parts of a recording have."""
    names = itertools.chain([f"{stem}{ending}"], (f"{stem}-{number}{ending}" for number in itertools.count(2)))
    return next(name for name in names if not os.path.lexists(name) and not os.path.lexists(f"{name}.parts"))


def _refuse_other_file(path):
    try:
        with open(path, "rb") as file:
            if file.read(6) == b"ARROW1":
                return
    except FileNotFoundError:
        return
    raise CopyscopeError(f"{path} exists and is not an Arrow file, so it is not overwritten. Choose another path.")


def _forget():
    """In a forked child: what is recorded is the parent's."""
    global _current, _marking, _lock
    _lock = threading.Lock()
    _current = _marking = None


os.register_at_fork(after_in_child=_forget)
if _recorder.is_recorded_from_outside():
    try:
        _marking = _recorder.library()
    except CopyscopeError:
        pass
