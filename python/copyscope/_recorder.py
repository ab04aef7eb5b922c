"""The recorder's library in this process."""

import ctypes
import os

from ._program import CopyscopeError, native_library

#: States of a recording. It hasn't begun at 0, and is over at 3.
_WAITING, _RECORDING = 1, 2

_STATES_OF_CUDA = {
    3: "CUDA can't be used in this process, since it was forked from one that had initialised CUDA."
       " Start it with the method spawn.",
    100: "The NVIDIA driver finds no GPU.",
    803: "The NVIDIA driver doesn't fit its kernel module. Restart the machine, or install one version of both.",
}

_library = None


def library():
    """Loads the library once. Raises CopyscopeError if there is none for this system."""
    global _library
    if _library is None:
        try:
            loaded = ctypes.CDLL(_path())
            loaded.CopyscopeBeginRecording.restype = ctypes.c_char_p
        except (OSError, AttributeError) as error:
            raise CopyscopeError(f"The recorder can't be loaded: {error}") from error
        _library = loaded
    return _library


def _path():
    if is_recorded_from_outside():
        return os.environ["CUDA_INJECTION64_PATH"]
    return native_library("libcopyscope_record.so", "COPYSCOPE_RECORD_LIBRARY",
                          "programs are recorded on Linux, with the wheel for this processor or with a clone that was built"
                          " where CUDA's headers are.")


def is_recorded_from_outside():
    """Returns whether `copyscope record` has loaded its library into this program."""
    path = os.environ.get("CUDA_INJECTION64_PATH", "")
    return path.endswith("libcopyscope_record.so") and bool(os.environ.get("COPYSCOPE_RECORD_FOLDER"))


def watch_nvtx():
    """Lets libraries that use NVTX for the first time from now on tell their ranges to the recorder."""
    try:
        os.environ.setdefault("NVTX_INJECTION64_PATH", _path())
    except CopyscopeError:
        pass


def _driver():
    if os.environ.get("COPYSCOPE_RECORD_DRIVER") == "1":
        return None
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        raise CopyscopeError("There is no NVIDIA driver on this machine (libcuda.so.1).") from None
    state = driver.cuInit(0)
    if state != 0:
        raise CopyscopeError(_STATES_OF_CUDA.get(state, f"CUDA can't be used: cuInit returned {state}."))
    return driver


def begin(folder, *, light, lines, steps, duration, delay):
    """Begins a recording whose files go into `folder`. Raises CopyscopeError with the reason if nothing is recorded."""
    if is_recorded_from_outside():
        raise CopyscopeError("copyscope record records this program already.")
    loaded = library()
    _driver()
    if "\n" in str(folder):
        raise CopyscopeError(f"{folder!r} can't be used: its name has a line break.")
    settings = {
        "FOLDER": folder,
        "LIGHT": int(light),
        "LINES": int(lines),
        "STEPS": steps or "",
        "DURATION_MS": duration * 1000 if duration is not None else "",
        "DELAY_MS": delay * 1000 if delay is not None else "",
    }
    os.makedirs(folder, mode=0o700)
    told = "\n".join(f"COPYSCOPE_RECORD_{name}={value}" for name, value in settings.items())
    problem = loaded.CopyscopeBeginRecording(os.fsencode(told))
    if problem is not None:
        loaded.CopyscopeEndRecording(None)
        raise CopyscopeError(problem.decode("utf-8", "replace"))


def is_under_way():
    return _library.CopyscopeRecordingState() in (_WAITING, _RECORDING)


def _device_wait():
    """Returns the function that waits for the work of the current context, or None."""
    try:
        driver = _driver()
    except CopyscopeError:
        return None
    return None if driver is None else ctypes.cast(driver.cuCtxSynchronize, ctypes.c_void_p)


def end(*, wait):
    """Ends a recording; with `wait` when the work that was issued has run, so that it is recorded."""
    _library.CopyscopeEndRecording(_device_wait() if wait else None)
