"""Exposed communication of each rank, worked out from torch.profiler's traces alone, and compared with Copyscope.

    python3 bench/gpu/ranks/exposed.py FOLDER [copyscope ...]

FOLDER holds NAME.rankN.json.gz, as ranks.py leaves them. For each rank: the time in its step of median duration in which a
kernel of NCCL runs and no other kernel and no memset. With a command behind FOLDER (node dist/host/cli.js), its
`explain --json` of both ranks is compared with that, and the ends of collectives after alignment with each other: the k-th
kernel of one name in one communicator is one collective, and the median difference of its ends is what the clocks are apart.
Nothing of Copyscope's own code is used.
"""

import glob
import gzip
import json
import os
import re
import statistics
import subprocess
import sys


def union(spans):
    joined = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([start, end])
    return joined


def covered(spans):
    return sum(end - start for start, end in union(spans))


def clipped(spans, low, high):
    return [(max(start, low), min(end, high)) for start, end in spans if end > low and start < high]


def nanoseconds(event):
    start = round(event["ts"] * 1000)
    return start, start + round(event["dur"] * 1000)


def read(path):
    with gzip.open(path, "rt") as file:
        events = [event for event in json.load(file)["traceEvents"] if event.get("ph") == "X"]
    steps = [nanoseconds(e) for e in events if e.get("cat") == "user_annotation" and e["name"].startswith("ProfilerStep#")]
    steps.sort()
    # A step lasts until the next one begins.
    steps = [(start, following) for (start, _), (following, _) in zip(steps, steps[1:])] + steps[-1:]
    busy = [e for e in events if e.get("cat") in ("kernel", "gpu_memset")]
    collectives = [e for e in busy if e["name"].startswith("nccl")]
    others = [nanoseconds(e) for e in busy if not e["name"].startswith("nccl")]
    return steps, collectives, others


def exposed(steps, collectives, others):
    """Returns duration and exposed communication of the step of median duration, the lower one of two."""
    low, high = sorted(steps, key=lambda step: step[1] - step[0])[(len(steps) - 1) // 2]
    alone = clipped(others, low, high)
    return high - low, covered(alone + clipped(map(nanoseconds, collectives), low, high)) - covered(alone)


def apart(ranks):
    """Returns the distances of the ends of common collectives once the clocks are aligned."""
    ends = []
    for _, collectives, _ in ranks:
        series = {}
        for event in sorted(collectives, key=lambda event: event["ts"]):
            key = (event["name"], event["args"].get("Process Group Name"))
            series.setdefault(key, []).append(nanoseconds(event)[1])
        ends.append(series)
    if any(len(ends[0][key]) != len(ends[1].get(key, [])) for key in ends[0]):
        raise SystemExit("The ranks recorded different numbers of collectives.")
    differences = [a - b for key, times in ends[0].items() for a, b in zip(times, ends[1][key])]
    offset = statistics.median(differences)
    return sorted(abs(difference - offset) for difference in differences)


def main():
    folder, command = sys.argv[1], sys.argv[2:]
    names = sorted({re.sub(r"\.rank\d+\.json\.gz$", "", os.path.basename(path)) for path in glob.glob(folder + "/*.rank*.json.gz")})
    failed = False
    for name in names:
        paths = ["%s/%s.rank%d.json.gz" % (folder, name, rank) for rank in (0, 1)]
        ranks = [read(path) for path in paths]
        own = [exposed(*rank) for rank in ranks]
        ends = apart(ranks)
        print("%s: ends of %d collectives are at most %.1f us apart" % (name, len(ends), ends[-1] / 1000))
        told = None
        if command:
            answer = json.loads(subprocess.run([*command, "explain", *paths, "--json"], check=True, capture_output=True).stdout)
            told = [{part["part"]: part["ns"] for part in rank["parts"]} for rank in answer["ranks"]]
            print("  %s" % answer["answer"])
        failed |= ends[-1] > 20000
        for rank, (step, ns) in enumerate(own):
            line = "  rank %d: step %.3f ms, exposed communication %.4f ms" % (rank, step / 1e6, ns / 1e6)
            if told is not None:
                by = told[rank]["communication"]
                off = abs(by - ns) / max(1, ns)
                line += ", Copyscope %.4f ms, off %.3f %%" % (by / 1e6, 100 * off)
                failed |= off > 0.001
            print(line)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
