"""Runs programs one after another in this process. File names arrive on stdin, one a line. Prints a line of JSON when it has
begun, and one for each program with its output and why it failed. Programs that set CUDA's environment, which is read once,
run in processes of their own."""

import contextlib
import gc
import io
import json
import os
import runpy
import subprocess
import sys
import traceback

import torch

torch.cuda.init()
answers = os.fdopen(os.dup(1), "w")


def answer(file, output, error):
    print(json.dumps({"file": file, "output": output[-2000:], "error": error}), file=answers, flush=True)


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
        except BaseException:
            unregister_all()
            error = traceback.format_exc()[-600:]
    return printed.getvalue(), error


def run_apart(file):
    try:
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=12)
    except subprocess.TimeoutExpired:
        return "", "it takes longer than 12 s"
    return done.stdout, None if done.returncode == 0 else done.stderr[-600:] or f"exit code {done.returncode}"


answer(None, torch.__version__, None)
for line in sys.stdin:
    file = line.rstrip("\n")
    with open(file, encoding="utf-8") as source:
        is_apart = "os.environ[" in source.read()
    output, error = run_apart(file) if is_apart else run_here(file)
    gc.collect()
    try:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except RuntimeError as lost:
        answer(file, output, error or f"the device is lost: {lost}")
        sys.exit(1)
    answer(file, output, error)
