"""Runs programs one after another in this process: run_programs.py SECONDS FILE... A line of JSON for each says what it
printed, and why it failed; what is not begun within the seconds has none. Those that set the environment of CUDA, which is
read once, run in processes of their own."""

import contextlib
import gc
import io
import json
import runpy
import subprocess
import sys
import time
import traceback

import torch

torch.cuda.init()
ends_at = time.monotonic() + float(sys.argv[1])


registered = []
cudart = torch.cuda.cudart()
register_pages = cudart.cudaHostRegister


def register(address, size, flags):
    registered.append(address)
    return register_pages(address, size, flags)


# A program ends with its process, and gives back no pages that it has locked; here the next one would stumble over them.
cudart.cudaHostRegister = register


def unregister_all():
    while registered:
        cudart.cudaHostUnregister(registered.pop())


def run_here(file):
    printed = io.StringIO()
    error = None
    with contextlib.redirect_stdout(printed):
        try:
            variables = runpy.run_path(file, run_name="__main__")
            unregister_all()
            del variables
        except SystemExit as end:
            unregister_all()
            error = None if end.code in (None, 0) else f"exit code {end.code}"
        except BaseException:
            unregister_all()
            error = traceback.format_exc()[-600:]
    return printed.getvalue(), error


def run_apart(file):
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60)
    return done.stdout, None if done.returncode == 0 else done.stderr[-600:] or f"exit code {done.returncode}"


for file in sys.argv[2:]:
    if time.monotonic() > ends_at:
        break
    with open(file, encoding="utf-8") as source:
        is_apart = "os.environ[" in source.read()
    output, error = run_apart(file) if is_apart else run_here(file)
    print(json.dumps({"file": file, "output": output[-2000:], "error": error}), flush=True)
    gc.collect()
    try:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except RuntimeError as lost:
        print(f"the device is lost: {lost}", file=sys.stderr)
        break
