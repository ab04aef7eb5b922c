"""Times of torch.matmul and torch.fft.fft for the shapes on stdin, as JSON on stdout: the median of 20 launches between events,
and the largest error against double precision in parts of the largest number."""

import json
import statistics
import sys

import torch


def times(call):
    pairs = []
    for _ in range(25):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        # A busy device, so that the launch's own time on the host isn't in between.
        torch.cuda._sleep(200_000)
        start.record()
        call()
        end.record()
        pairs.append((start, end))
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(end) for start, end in pairs[5:])


def product(shape):
    dtype = getattr(torch, shape["dtype"])
    torch.backends.cuda.matmul.allow_tf32 = shape["tf32"]
    first = (2 * torch.rand(shape["m"], shape["k"], device="cuda") - 1).to(dtype)
    second = (2 * torch.rand(shape["k"], shape["n"], device="cuda") - 1).to(dtype)
    found = torch.empty(shape["m"], shape["n"], device="cuda", dtype=dtype)
    ms = times(lambda: torch.matmul(first, second, out=found))
    return ms, found.double(), first.double() @ second.double()


def transform(shape):
    given = torch.randn(shape["batch"], shape["size"], device="cuda", dtype=torch.complex64)
    ms = times(lambda: torch.fft.fft(given))
    return ms, torch.fft.fft(given).to(torch.complex128), torch.fft.fft(given.to(torch.complex128))


found = {}
for shape in json.load(sys.stdin):
    ms, computed, wanted = product(shape) if shape["kind"] == "matmul" else transform(shape)
    found[shape["id"]] = {"ms": ms, "worst": float((computed - wanted).abs().max() / wanted.abs().max())}
    torch.cuda.empty_cache()
json.dump(found, sys.stdout)
