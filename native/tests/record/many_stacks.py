"""Stacks of many depths, some within a generator, on four threads at a time."""
import ctypes, os, threading
cupti = ctypes.CDLL('libcupti.so.13')
ctypes.CDLL(os.environ['CUDA_INJECTION64_PATH']).InitializeInjection()
def call(id, result=ctypes.c_int(0)):
    for begins in (1, 0): cupti.standinCall(begins, 2, id, 1, None, ctypes.byref(result))
def step(depth):
    if depth > 0: return step(depth - 1)
    call(41)
    call(131)
def depths():
    for depth in range(40):
        step(depth)
        yield depth
threads = [threading.Thread(target=lambda: [list(depths()) for _ in range(5)]) for _ in range(4)]
[one.start() for one in threads]; [one.join() for one in threads]
