"""Records real programs on a GPU with the recorder's library, and compares its output with torch.profiler.

    python3 bench/gpu/record.py [--only LIST] [--steps 40] [--seconds 150] [--all-modes]

LIST names programs of record_programs.py, `endings` (the ways in which a program can end) and `cli` (the command itself),
with commas; default: all of them, the longest first. After SECONDS it begins nothing more, soon ends what runs, and the
table names what was left out.

Needs native/build/Release/libcopyscope_record.so and PyTorch with CUDA; only the command itself needs Node and dist/host.
Files go to $OUT (default: a temporary folder), and it prints a table last: counts of copies, kernels and waits next to the
profiler's, busy times of copies, of kernels and of both at once, the lines that were named, and the time of a recorded step
compared with the steps before and after it in the same process. --all-modes also runs each program in light mode and without
lines; record_cost.py measures their cost better.
"""

import argparse
import gzip
import json
import lzma
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(os.path.dirname(here))
library = os.environ.get("RECORD_LIBRARY", os.path.join(root, "native/build/Release/libcopyscope_record.so"))
out = os.environ.get("OUT") or tempfile.mkdtemp(prefix="record-")
programs_file = os.path.join(here, "record_programs.py")
options = argparse.Namespace(steps=40, seconds=150.0, all_modes=False)
began = time.time()
table = []


def say(line):
    table.append(line)
    print(line, flush=True)


def left():
    return options.seconds - (time.time() - began)


def longest():
    """Seconds that a program may take from now on: what hangs must not take the time of all."""
    return max(20.0, left())


class Recording:
    """A process's file, read by hand: native/record/format.h."""

    def __init__(self, path):
        data = open(path, "rb").read()
        assert data[:8] == b"CPSREC01", path
        (length,) = struct.unpack_from("<I", data, 8)
        self.header = json.loads(data[12 : 12 + length])
        self.texts, self.frames, self.stacks, self.problems = {}, {}, {}, []
        self.calls, self.copies, self.kernels, self.ranges, self.waits = [], [], [], [], []
        self.ended, self.dropped = False, (0, 0)
        at = 12 + length
        while at + 32 <= len(data) and data[at : at + 4] == b"CPSC":
            (size,) = struct.unpack_from("<I", data, at + 4)
            self.chunk(data[at + 32 : at + 32 + size])
            at += 32 + size

    def chunk(self, data):
        at = 0
        while at + 4 <= len(data):
            kind, _, size = struct.unpack_from("<BBH", data, at)
            if at + 4 + size > len(data):
                return
            self.record(kind, data[at + 4 : at + 4 + size])
            at += 4 + size

    def record(self, kind, data):
        if kind == 1:
            self.texts[struct.unpack_from("<I", data)[0]] = data[4:].decode("utf8", "replace")
        elif kind == 3:
            start, end, thread, correlation, name, stack, result, role = struct.unpack_from("<qqIIIIIB", data)
            stack_ns = struct.unpack_from("<I", data, 53)[0]
            call = (self.texts.get(name), start, end, stack, role, correlation, result, stack_ns)
            self.calls.append(call)
            if role == 3:
                self.waits.append(call)
        elif kind == 4:
            self.copies.append(struct.unpack_from("<qqQIII", data))
        elif kind == 6:
            self.kernels.append(struct.unpack_from("<qqIIII", data))
        elif kind == 9:
            self.ranges.append(struct.unpack_from("<qqII", data))
        elif kind == 10:
            number, file, line, function = struct.unpack_from("<IIII", data)
            self.frames[number] = (self.texts.get(file), line, self.texts.get(function))
        elif kind == 11:
            numbers = struct.unpack_from("<%dI" % (len(data) // 4), data)
            self.stacks[numbers[0]] = numbers[1:]
        elif kind == 13:
            self.problems.append((data[0], self.texts.get(struct.unpack_from("<I", data, 1)[0])))
        elif kind == 14:
            self.dropped = struct.unpack_from("<QQ", data)
        elif kind == 16:
            self.ended = True

    def lines(self, file):
        """Returns, for each copy and waiting call, the innermost line of `file` in its stack, or None."""
        found = []
        for name, _, _, stack, role, *_ in self.calls:
            if role not in (1, 3):
                continue
            frames = [self.frames[number] for number in self.stacks.get(stack, ()) if number in self.frames]
            found.append((name, next((line for path, line, _ in frames if path and os.path.basename(path) == file), None)))
        return found


def recorded(arguments, name, extra=None, kill_after=None, env_only=False):
    """Runs a program under the recorder; gives back (exit code, stdout, stderr, recordings)."""
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        os.remove(os.path.join(folder, old))
    environment = {
        **os.environ,
        "CUDA_INJECTION64_PATH": library,
        "NVTX_INJECTION64_PATH": library,
        "COPYSCOPE_RECORD_FOLDER": folder,
        **(extra or {}),
    }
    process = subprocess.Popen(arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if kill_after is not None:
        line = ""
        while "go" not in line:
            line = process.stdout.readline()
            if line == "":
                break
        time.sleep(kill_after)
        process.send_signal(signal.SIGKILL)
    try:
        stdout, stderr = process.communicate(timeout=longest())
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        stderr += "\nHUNG"
    files = sorted(os.listdir(folder))
    return process.returncode, stdout, stderr, [Recording(os.path.join(folder, file)) for file in files]


def profiler_counts(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as file:
        events = json.load(file)["traceEvents"]
    span = next(e for e in events if e.get("name") == "measured" and e.get("cat") == "user_annotation")
    inside = lambda e: span["ts"] <= e["ts"] <= span["ts"] + span["dur"]
    waits = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver") and inside(e)]
    waits = [e for e in waits if re.match(r"cu(da)?(Stream|Event|Device|Ctx)Synchronize", e["name"])]
    device = lambda category: [(e["ts"] * 1000, (e["ts"] + e["dur"]) * 1000) for e in events if e.get("cat") == category]
    copies, kernels = device("gpu_memcpy"), device("kernel")
    return (len(copies), len(kernels), len(waits)), busy_times(copies, kernels)


def merged(rows):
    """Spans that don't overlap, of (start, end) in any order."""
    spans = []
    for start, end in sorted(rows):
        if spans and start <= spans[-1][1]:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([start, end])
    return spans


def busy_times(copies, kernels):
    """Nanoseconds in which copies ran, kernels did, and both at once."""
    length = lambda spans: sum(end - start for start, end in spans)
    first, second = merged(copies), merged(kernels)
    either = length(merged(copies + kernels))
    return length(first), length(second), length(first) + length(second) - either


def apart(found, expected):
    """Returns the differences of times in %; a dash if a time is missing or too short."""
    told = lambda a, b: "-" if b < 1e4 else "%+.2f" % (100 * (a / b - 1))
    return " ".join(told(a, b) for a, b in zip(found, expected)) + " %"


def known_lines():
    with open(programs_file) as file:
        return {number for number, line in enumerate(file, 1) if line.rstrip().endswith("# line")}


def medians(stdout):
    lines = [line for line in stdout.splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None


def added(medians_):
    if medians_ is None:
        return "?"
    base = (medians_["before"] + medians_["after"]) / 2
    return "%+.1f %% of %.0f us" % (100 * (medians_["during"] / base - 1), base)


WINDOW = {"COPYSCOPE_RECORD_STEPS": "1..1", "COPYSCOPE_RECORD_STEP_RANGE": "measured"}


def profiled(name, run, trace):
    """Runs a program under torch.profiler; None, with the reason in the table, where that can't be."""
    try:
        peer = subprocess.run([*run, trace], capture_output=True, text=True, timeout=longest())
    except subprocess.TimeoutExpired:
        say("%-10s not measured: torch.profiler's run took longer than there was time" % name)
        return None
    if peer.returncode != 0:
        say("%-10s not measured: %s" % (name, (peer.stderr.strip().splitlines() or ["?"])[-1][:100]))
        return None
    return peer


def check_program(name):
    trace = os.path.join(out, name + ".json")
    run = [sys.executable, programs_file, name, str(options.steps)]
    peer = profiled(name, run, trace)
    if peer is None:
        return
    theirs, their_busy = profiler_counts(trace)
    code, stdout, stderr, files = recorded(run, name + "-full", WINDOW)
    if code != 0 or not files:
        say("%-10s FAILED: exit %s, %d files, %s" % (name, code, len(files), stderr.strip()[-300:]))
        return
    main = max(files, key=lambda one: len(one.calls))
    for one in files:
        for problem in one.problems:
            say("%-10s PROBLEM %s" % (name, problem))
    ours = (len(main.copies), len(main.kernels), len(main.waits))
    spans = lambda rows: [(row[0], row[1]) for row in rows]
    busy = busy_times(spans(main.copies), spans(main.kernels))
    # Before the recorded run and after it: what two runs of the profiler differ by is no error of the recorder.
    if profiled(name, run, trace) is None:
        return
    again = profiler_counts(trace)[1]
    both = [(first + second) / 2 for first, second in zip(their_busy, again)]
    lines = main.lines("record_programs.py")
    wrong = [(call, line) for call, line in lines if line not in known_lines()]
    modes = []
    if options.all_modes:
        for mode, variable in (("light", {"COPYSCOPE_RECORD_LIGHT": "1"}), ("without lines", {"COPYSCOPE_RECORD_LINES": "0"})):
            modes.append(", %s %s" % (mode, added(medians(recorded(run, name + "-" + mode, {**WINDOW, **variable})[1]))))
    stack_us = [call[7] / 1000 for call in main.calls if call[3]]
    say(
        "%-10s copies %d/%d kernels %d/%d waits %d/%d %s | busy %s (two of the profiler %s) | lines %d of %d right%s | "
        "step: full %s%s, torch.profiler %s | stack %.2f us | files %d, dropped %s, ended %s"
        % (
            name,
            ours[0],
            theirs[0],
            ours[1],
            theirs[1],
            ours[2],
            theirs[2],
            "EQUAL" if ours == theirs else "DIFFER",
            apart(busy, both),
            apart(again, their_busy),
            len(lines) - len(wrong),
            len(lines),
            "" if not wrong else " WRONG " + str(sorted(set(map(str, wrong)))[:3]),
            added(medians(stdout)),
            "".join(modes),
            added(medians(peer.stdout)),
            sorted(stack_us)[len(stack_us) // 2] if stack_us else 0,
            len(files),
            main.dropped,
            main.ended,
        )
    )


BODY = """
import os, sys, time, torch
x = torch.randn(512, 512).pin_memory(); y = torch.empty(512, 512, device='cuda')
torch.cuda.synchronize()
def steps(n, pause=0.0):
    for _ in range(n):
        y.copy_(x, non_blocking=True); (y @ y).sum().item(); time.sleep(pause)
"""


def ending(name, body, code, copies, check_end=True, kill_after=None):
    if left() < 0:
        say("%-22s not tried (no time left)" % name)
        return []
    got, stdout, stderr, files = recorded([sys.executable, "-c", BODY + body], "end-" + name, kill_after=kill_after)
    most = max((len(one.copies) for one in files), default=0)
    good = got == code and most >= copies and "HUNG" not in stderr
    if check_end:
        good = good and any(one.ended for one in files)
    say("%-22s %s: exit %s (%s), %d files, copies %s (at least %d), %s" % (
        name, "ok" if good else "FAILED", got, code, len(files), [len(one.copies) for one in files], copies,
        [problem for one in files for problem in one.problems] or stderr.strip()[-160:].replace("\n", " | ")))
    return files


def check_endings():
    ending("in order", "steps(100)", 0, 200)
    ending("exception", "steps(100)\nraise ValueError('x')", 1, 200)
    ending("os._exit", "steps(100); torch.cuda.synchronize(); time.sleep(1.2); os._exit(7)", 7, 200, False)
    ending("os._exit at once", "steps(100); os._exit(7)", 7, 0, False)
    ending("SIGKILL", "print('go', flush=True)\nsteps(100000, 0.01)", -9, 100, False, kill_after=3)
    ending("SIGTERM", "import signal\nsteps(100)\ntime.sleep(1.2)\nos.kill(os.getpid(), signal.SIGTERM)\ntime.sleep(5)", -15, 200, False)
    ending("fork", "steps(50)\nif os.fork() == 0: os._exit(0)\nos.wait(); steps(50)", 0, 200)
    ending("spawned child", "import subprocess\nsteps(50)\n"
           "subprocess.run([sys.executable, '-c', 'import torch; torch.ones(9).cuda(); torch.cuda.synchronize()'])", 0, 100)
    ending("threads at once", "import threading\nt=[threading.Thread(target=steps,args=(200,)) for _ in range(8)]\n"
           "[a.start() for a in t]; [a.join() for a in t]", 0, 3200)
    ending("freeing threads", "import threading\nstop=False\n"
           "def churn():\n  while not stop: a=[torch.empty(1<<20,device='cuda') for _ in range(20)]; del a\n"
           "t=[threading.Thread(target=churn) for _ in range(3)]; [a.start() for a in t]\n"
           "for _ in range(200): steps(1); torch.cuda.empty_cache()\n"
           "stop=True; [a.join() for a in t]", 0, 400)
    # Before, while and after the profiler ran: it must not take CUPTI away from the recorder.
    files = ending("torch.profiler", "from torch.profiler import profile\nsteps(50)\nwith profile() as p: steps(50)\nsteps(50)\n"
                   "print(len([e for e in p.events() if e.device_type==torch.autograd.DeviceType.CUDA]))", 0, 300)
    say("%-22s kernels %s" % ("", [len(one.kernels) for one in files]))
    nvcc = "/usr/local/cuda/bin/nvcc"
    if os.path.exists(nvcc):
        source = os.path.join(out, "static.cu")
        with open(source, "w") as file:
            file.write("__global__ void k(float*p){p[threadIdx.x]=1;}\nint main(){float*d;cudaMalloc(&d,4096);float h[1024];"
                       "for(int i=0;i<50;i++){k<<<1,64>>>(d);cudaMemcpy(h,d,4096,cudaMemcpyDeviceToHost);}return 0;}\n")
        if subprocess.run([nvcc, "-o", source + ".out", source]).returncode == 0:
            code, _, stderr, files = recorded([source + ".out"], "end-static")
            counts = [(len(one.copies), len(one.kernels), one.ended, one.problems) for one in files]
            good = code == 0 and counts and counts[0][0] == 50 and counts[0][1] == 50
            say("%-22s %s: %s %s" % ("static cudart", "ok" if good else "FAILED", counts, stderr.strip()[-160:]))


def check_cli():
    """The command itself, where Node is: on the path, or packed by test/gpu/pack.mjs."""
    cli, packed = os.path.join(root, "dist/host/cli.js"), os.path.join(root, "dist/gpu/node.xz")
    node = shutil.which("node")
    if node is None and os.path.exists(packed):
        node = os.path.join(out, "node")
        with lzma.open(packed) as source, open(node, "wb") as target:
            shutil.copyfileobj(source, target)
        os.chmod(node, 0o755)
    if node is None or not os.path.exists(cli):
        say("copyscope record       not measured (no Node, or no dist/host)")
        return
    trace = os.path.join(out, "cli.arrow")
    if os.path.exists(trace):
        os.remove(trace)
    program = [sys.executable, programs_file, "training", str(options.steps)]
    run = subprocess.run([node, cli, "record", "--out", trace, "--", *program], capture_output=True, text=True)
    say("copyscope record       exit %d: %s" % (run.returncode, run.stderr.strip().replace("\n", " | ")[-600:]))
    told = subprocess.run([node, cli, "explain", trace], capture_output=True, text=True)
    print(told.stdout[:6000], told.stderr[-1000:])
    say("copyscope explain      exit %d: %s" % (told.returncode, next((l for l in told.stdout.splitlines() if l.startswith("Step")), "no steps")))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--steps", type=int, default=options.steps)
    parser.add_argument("--seconds", type=float, default=options.seconds)
    parser.add_argument("--all-modes", action="store_true")
    return parser.parse_args()


def main():
    global options
    options = arguments()
    import torch

    say("%s, PyTorch %s, CUDA %s" % (torch.cuda.get_device_name(), torch.__version__, torch.version.cuda))
    sys.path.insert(0, here)
    import record_programs

    # The one that is compiled, and the one that starts processes, take longest.
    slow = ["compiled", "loader"]
    names = slow + [name for name in record_programs.programs if name not in slow] + ["endings", "cli"]
    only = [name for name in options.only.split(",") if name] or names
    for unknown in set(only) - set(names):
        sys.exit("%s is not one of %s" % (unknown, ", ".join(names)))
    for name in only:
        seconds = time.time()
        if left() < 0:
            say("%-10s not measured (no time left)" % name)
            continue
        if name == "endings":
            check_endings()
        elif name == "cli":
            check_cli()
        else:
            check_program(name)
        print("%-10s took %.0f s" % (name, time.time() - seconds), flush=True)
    with open(os.path.join(out, "record-table.txt"), "w") as file:
        file.write("\n".join(table) + "\n")
    print("\n" + "\n".join(table))


if __name__ == "__main__":
    main()
