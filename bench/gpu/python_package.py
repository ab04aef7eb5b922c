"""The Python package on a GPU: recordings inside a training loop held against `copyscope record` of the same program.

    python3 bench/gpu/python_package.py

Each part prints its figures and whether its checks passed, whatever became of the others; the last line adds them up. All
figures go to python-package.json in $OUT. Needs Node, PyTorch with CUDA, transformers and the installed package; IPython
or nbclient for the notebook. With COPYSCOPE_TRIAL=standin the training is played over the stand-in for CUPTI.
"""

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

here = os.path.dirname(os.path.abspath(__file__))
trial = os.environ.get("COPYSCOPE_TRIAL") == "standin"
out = os.environ.get("OUT") or tempfile.mkdtemp(prefix="python-package-")
work = tempfile.mkdtemp(prefix="python-package-work-")
STEPS = 30
results, failed = {}, []

# A training loop. Its steps end with a wait, so that no kernel of a step runs in the next one.
LOOP = f"""
import ctypes, json, os, sys, time, warnings
import copyscope
sys.path.insert(0, {here!r})
if {trial}:
    program = ctypes.CDLL("libstandin_program.so")
    if "CUDA_INJECTION64_PATH" in os.environ: ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
    def work(): program.standinPlay(1, 3)
    def finish(): pass
else:
    import torch
    from record_programs import bert
    work, finish = bert(), torch.cuda.synchronize
def train(steps):
    times = []
    for _ in range(steps):
        copyscope.step()
        before = time.perf_counter()
        work()
        finish()
        times.append(time.perf_counter() - before)
    copyscope.end_step()
    return times
train(20)
"""


def python(text, *arguments, before=(), timeout=240):
    """Runs a program that begins with the loop. Returns its output, and its time in seconds."""
    path = os.path.join(work, "train.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOOP + text)
    began = time.perf_counter()
    ended = subprocess.run([*before, sys.executable, path, *arguments], cwd=work, capture_output=True, text=True, timeout=timeout)
    if ended.returncode != 0:
        raise RuntimeError(f"exit code {ended.returncode}\n{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}")
    return ended, time.perf_counter() - began


def printed(ended):
    """Returns the object that a program printed last."""
    return json.loads(ended.stdout.strip().splitlines()[-1])


def run_of(path):
    """Returns counts and lines of a run."""
    import copyscope

    explained = copyscope.explain(os.path.join(work, path))
    notes = " ".join(explained.data["notes"])
    counts = re.search(r"Recorded: ([\d,]+|no) copies.*? ([\d,]+|no) kernels, ([\d,]+|no) waits", notes)
    lines = sorted({verdict.get("line") or "" for verdict in explained.verdicts})
    step = explained.step or {}
    return {
        "copies, kernels, waits": [int(number.replace(",", "").replace("no", "0")) for number in counts.groups()] if counts else notes,
        "lines": lines,
        "steps": step.get("count"),
        "rule": step.get("rule"),
        "step ms": round(step["medianNs"] / 1e6, 3) if step else None,
        "parts": {one["part"]: round(one["share"], 3) for one in explained.parts if one["share"] > 0.01},
    }


def part(function):
    """Runs a part. It returns figures, and its checks as pairs of words and truth."""
    began = time.perf_counter()
    print(f"== {function.__name__}", flush=True)
    try:
        figures, checks = function()
        for name, value in figures.items():
            print(f"   {name}: {json.dumps(value)[:1500]}")
        for words, holds in checks:
            print(f"   {'ok    ' if holds else 'FAILED'} {words}", flush=True)
            if not holds:
                failed.append(f"{function.__name__}: {words}")
        results[function.__name__] = {"figures": figures, "checks": checks}
    except Exception:
        print("   FAILED " + traceback.format_exc()[-3000:], flush=True)
        failed.append(f"{function.__name__}: ended with an error")
    print(f"   ({time.perf_counter() - began:.1f} s)", flush=True)


def machine():
    figures = {"python": sys.version.split()[0], "package": __import__("copyscope").__file__}
    if not trial:
        import torch

        figures |= {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(0)}
    figures["node"] = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip()
    return figures, []


def three_recordings():
    # --steps 21..50: the same steps of the same program, which is recorded from outside.
    python(f"train({STEPS + 20})", before=(sys.executable, "-m", "copyscope", "record", "--out", "outside.arrow",
                                           "--steps", f"21..{20 + STEPS}", "--"))
    ended, _ = python(f"""
timings, plain, inside = [], [], []
for number in range(3):
    plain += train({STEPS})
    recording = copyscope.record(f"inside{{number}}.arrow", light=number == 2)
    a = time.perf_counter(); recording.begin(); b = time.perf_counter()
    inside.append(train({STEPS}))
    c = time.perf_counter(); recording.end(); d = time.perf_counter()
    timings.append([round(1000 * (b - a), 1), round(1000 * (d - c), 1)])
plain += train({STEPS})
print(json.dumps([timings, plain, inside]))
""")
    timings, plain, inside = printed(ended)
    outside = run_of("outside.arrow")
    runs = [run_of(f"inside{number}.arrow") for number in range(3)]
    ms = [round(1000 * statistics.median(times), 3) for times in [plain, *inside]]
    figures = {"outside": outside, "inside": runs, "begin and end, ms": timings,
               "step without and with recording three times, ms": ms}
    counts, light = "copies, kernels, waits", runs[2]["copies, kernels, waits"]
    return figures, [
        ("two full recordings have the counts of copyscope record", runs[0][counts] == runs[1][counts] == outside[counts]),
        ("they have its lines", runs[0]["lines"] == runs[1]["lines"] == outside["lines"]),
        ("they have its steps", runs[0]["steps"] == runs[1]["steps"] == outside["steps"]),
        ("the light one has the same copies and waits, and no kernels",
         [light[0], light[2], light[1]] == [outside[counts][0], outside[counts][2], 0]),
    ]


def attached():
    path = os.path.join(work, "waiting.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(LOOP + "copyscope.on_signal()\nopen('ready', 'w').close()\nwhile not os.path.exists('over'): train(10)\n")
    program = subprocess.Popen([sys.executable, path], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while program.poll() is None and not os.path.exists(os.path.join(work, "ready")):
            time.sleep(0.1)
        began = time.perf_counter()
        ended = subprocess.run([sys.executable, "-m", "copyscope", "attach", str(program.pid), "--steps", str(STEPS), "--out",
                                "attached.arrow"], cwd=work, capture_output=True, text=True, timeout=150)
        seconds = time.perf_counter() - began
        open(os.path.join(work, "over"), "w").close()
        _, err = program.communicate(timeout=60)
    finally:
        program.kill()
    if ended.returncode != 0:
        raise RuntimeError(ended.stderr[-2000:] + err[-2000:])
    run, outside = run_of("attached.arrow"), run_of("outside.arrow")
    figures = {"attached": run, "seconds": round(seconds, 1), "says": ended.stdout[:600], "notes": ended.stderr[:800]}
    counts = "copies, kernels, waits"
    return figures, [
        ("the program goes on and ends in order", program.returncode == 0 and err == ""),
        (f"{STEPS} steps have the counts of copyscope record", run[counts] == outside[counts]),
        ("they have its lines", [line.replace("waiting.py", "train.py") for line in run["lines"]] == outside["lines"]),
    ]


def other_tools():
    """torch.profiler after a recording, before one, and around one."""
    profiled = """
from torch.profiler import ProfilerActivity, profile
def profiled(work):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler: work()
    return sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events())
def recorded():
    with copyscope.record() as recording: train(5)
    return recording.problem
"""
    figures = {}
    for name, text in {
        "alone": "print(json.dumps([profiled(lambda: train(5))]))",
        "after a recording": "recorded(); print(json.dumps([profiled(lambda: train(5))]))",
        "before one": "count = profiled(lambda: train(5)); print(json.dumps([count, recorded()]))",
        "around one": "problem = []; count = profiled(lambda: problem.append(recorded())); print(json.dumps([count, *problem]))",
    }.items():
        figures[name] = printed(python(profiled + text)[0])
    events = figures["alone"][0]
    return figures, [
        ("torch.profiler sees the device after a recording as alone", abs(figures["after a recording"][0] - events) <= 0.02 * events),
        ("torch.profiler sees it if a recording is tried inside", abs(figures["around one"][0] - events) <= 0.02 * events),
        ("a recording that finds CUPTI taken says so", "CUPTI" in str(figures["around one"][1])),
    ]


def faults():
    ended, _ = python("""
printed = {}
def warned(name, work):
    with warnings.catch_warnings(record=True) as words:
        warnings.simplefilter("always")
        try: work()
        except BaseException as error: words = [*words]; printed[name + " raised"] = repr(error)
    printed[name] = [str(one.message) for one in words]
def failing():
    with copyscope.record("exception.arrow"):
        train(3)
        raise KeyError("batch")
warned("exception", failing)
sys.stdout.flush()
child = os.fork()
if child == 0:
    def forked():
        with copyscope.record("child.arrow"): pass
    warned("forked", forked)
    open("child.json", "w").write(json.dumps(printed))
    os._exit(0)
printed["child's status"] = os.waitpid(child, 0)[1]
printed["child"] = json.load(open("child.json")).get("forked")
train(3)
print(json.dumps(printed))
""")
    figures = printed(ended)
    python("recording = copyscope.record('open.arrow'); recording.begin(); train(4); sys.exit(0)")
    figures["ended while open"] = run_of("open.arrow")["copies, kernels, waits"]
    figures["exception, recorded"] = run_of("exception.arrow")["copies, kernels, waits"]
    return figures, [
        ("an exception passes and its recording is kept", figures["exception raised"] == "KeyError('batch')"),
        ("a forked process is printed so and ends in order", figures["child's status"] == 0 and "forked" in str(figures["child"])),
        ("a recording that is open when the interpreter ends is kept", figures["ended while open"][0] > 0),
    ]


def ranges_of_nvtx():
    python("""
recording = copyscope.record("ranges.arrow", steps="6..15")
with recording:
    for _ in range(40):
        torch.cuda.nvtx.range_push("step"); work(); finish(); torch.cuda.nvtx.range_pop()
""".replace("train(20)", ""))
    run, each = run_of("ranges.arrow"), run_of("outside.arrow")["copies, kernels, waits"]
    return {"run": run}, [("ten steps that are ranges of torch.cuda.nvtx have the counts of copyscope record",
                           [count * STEPS for count in run["copies, kernels, waits"]] == [count * 10 for count in each])]


def notebook():
    cells = ["%load_ext copyscope", LOOP.replace("import copyscope\n", "import copyscope\n"),
             "%%copyscope notebook.arrow\ntrain(10)"]
    figures, checks = {}, []
    try:
        import nbclient
        import nbformat

        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbclient.NotebookClient(book, timeout=200, resources={"metadata": {"path": work}}).execute()
        shown = [output.get("data", {}) for output in book.cells[-1].outputs]
        figures["executed by"] = f"nbclient {nbclient.__version__}"
    except ImportError as missing:
        figures["nbclient"] = str(missing)
        path = os.path.join(work, "cells.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""
import json
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.displayhook import CapturingDisplayHook
shell = InteractiveShell.instance()
outputs = []
shell.display_trap.hook = CapturingDisplayHook(shell=shell, outputs=outputs)
for cell in {cells!r}: shell.run_cell(cell).raise_error()
print()
print(json.dumps([output["data"] for output in outputs]))
""")
        ended = subprocess.run([sys.executable, path], cwd=work, capture_output=True, text=True, timeout=240)
        if ended.returncode != 0:
            raise RuntimeError(ended.stderr[-3000:] + ended.stdout[-1000:])
        shown = printed(ended)
        figures["executed by"] = "IPython"
    page = next((data["text/html"] for data in shown if "text/html" in data), "")
    figures |= {"report, bytes": len(page), "text": next((data["text/plain"] for data in shown if "text/plain" in data), "")[:400],
                "run": run_of("notebook.arrow")["copies, kernels, waits"]}
    checks.append(("the cell shows the report", "<iframe" in page and len(page) > 100_000))
    return figures, checks


chosen = sys.argv[1:]
for one in (machine, three_recordings, attached, other_tools, ranges_of_nvtx, faults, notebook):
    if not chosen or one.__name__ in chosen:
        part(one)
with open(os.path.join(out, "python-package.json"), "w", encoding="utf-8") as file:
    json.dump(results, file, indent=1)
for one in failed:
    print(f"FAILED {one}")
print(f"{sum(len(one['checks']) for one in results.values()) - len([one for one in failed if 'ended with' not in one])} passed, "
      f"{len(failed)} failed")
sys.exit(1 if failed else 0)
