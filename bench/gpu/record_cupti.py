"""Measures what each part of CUPTI costs per call, without the recorder, to choose callbacks and records.

    python3 bench/gpu/record_cupti.py       needs PyTorch with CUDA

Subscribes with a function of the C library that does nothing, and takes records into buffers that nobody reads. Each part is
switched on and off in turn around loops of single calls, and it prints by how many nanoseconds a call took longer.
"""

import ctypes
import re

import torch

from record_cost import quartiles, single_calls, timed_block

PAIRS = 6
MEMCPY, MEMSET, CONCURRENT_KERNEL, CUDA_EVENT, SYNCHRONIZATION = 1, 2, 10, 36, 38
RUNTIME, DRIVER = 2, 1
ROLES = re.compile(
    r"^cu(da)?(Memcpy|Memset|LaunchKernel|LaunchCooperative|GraphLaunch|EventRecord|StreamWaitEvent"
    r"|(Stream|Event|Device|Ctx|Thread)Synchronize|Malloc|Free|HostAlloc|MemAlloc|MemFree)"
)


def library():
    torch.cuda.init()
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if "libcupti.so" in line}
    return ctypes.CDLL(paths.pop() if paths else "libcupti.so.13")


cupti = library()
libc = ctypes.CDLL(None)
libc.aligned_alloc.restype = ctypes.c_void_p
REQUEST = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
COMPLETE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)


@REQUEST
def request(buffer, size, most):
    size[0], most[0] = 8 << 20, 0
    buffer[0] = libc.aligned_alloc(64, 8 << 20)


@COMPLETE
def complete(_context, _stream, buffer, _size, _valid):
    libc.free(ctypes.c_void_p(buffer))


def ids(domain, pattern=ROLES):
    found = []
    for number in range(1, 1000):
        name = ctypes.c_char_p()
        if cupti.cuptiGetCallbackName(domain, number, ctypes.byref(name)) == 0 and name.value and pattern.match(name.value.decode()):
            found.append(number)
    return found


subscriber = ctypes.c_void_p()


def callbacks(domains):
    def switch(on):
        for domain in domains:
            for number in ids(domain):
                cupti.cuptiEnableCallback(on, subscriber, domain, number)

    return switch


def kinds(*all_kinds):
    def switch(on):
        for kind in all_kinds:
            (cupti.cuptiActivityEnable if on else cupti.cuptiActivityDisable)(kind)

    return switch


def calls_as_records(on):
    for number in ids(RUNTIME):
        cupti.cuptiActivityEnableRuntimeApi(ctypes.c_uint32(number), ctypes.c_uint8(on))


def both(*switches):
    return lambda on: [switch(on) for switch in switches]


def main():
    print("subscribe:", cupti.cuptiSubscribe(ctypes.byref(subscriber), ctypes.cast(libc.labs, ctypes.c_void_p), None))
    print("buffers:", cupti.cuptiActivityRegisterCallbacks(request, complete))
    parts = {
        "nothing": lambda on: None,
        "callbacks, runtime": callbacks([RUNTIME]),
        "callbacks, driver": callbacks([DRIVER]),
        "callbacks, both": callbacks([RUNTIME, DRIVER]),
        "memcpy": kinds(MEMCPY),
        "synchronization": kinds(SYNCHRONIZATION),
        "cuda event": kinds(CUDA_EVENT),
        "kernel": kinds(CONCURRENT_KERNEL),
        "calls as records": calls_as_records,
        "kernel, runtime calls as records": both(kinds(CONCURRENT_KERNEL), calls_as_records),
        "kernel, callbacks, runtime": both(kinds(CONCURRENT_KERNEL), callbacks([RUNTIME])),
        "all of light": both(kinds(MEMCPY, MEMSET, SYNCHRONIZATION, CUDA_EVENT), callbacks([RUNTIME, DRIVER])),
        "all of full": both(kinds(MEMCPY, MEMSET, SYNCHRONIZATION, CUDA_EVENT, CONCURRENT_KERNEL), callbacks([RUNTIME, DRIVER])),
    }
    steps = single_calls()
    print("%-34s %s" % ("", " ".join("%18s" % name for name in steps)))
    for part, switch in parts.items():
        row = []
        for calls, step in steps.values():
            added = []
            for _ in range(PAIRS):
                without = timed_block(step, True)
                switch(1)
                with_ = timed_block(step, True)
                switch(0)
                torch.cuda.synchronize()
                cupti.cuptiActivityFlushAll(0)
                added.append((with_ - without) / calls)
            low, middle, high = quartiles(added)
            row.append("%6.0f (%.0f..%.0f)" % (middle, low, high))
        print("%-34s %s" % (part, " ".join("%18s" % one for one in row)), flush=True)


if __name__ == "__main__":
    main()
