"""Copies of whole batches to a GPU, by the copy engine of libcopyscope_copy.so."""

import atexit
import contextlib
import copy
import ctypes
import functools
import os
import sys
import warnings
import weakref
from array import array
from collections.abc import Mapping
from operator import attrgetter

import torch

from ._program import CopyscopeError, native_library

#: The engine's strategies, in the order of their numbers.
STRATEGIES = ("blocking-loop", "non-blocking-loop", "pin-then-copy", "pin-then-copy-non-blocking", "threaded-pinning",
              "packed", "pipelined")
_NO_STORAGE = 0xFFFFFFFF
#: Storages of the first groups of a large batch. While a group is copied, the targets of the next one are allocated.
_GROUPS = (16, 256)
_TENSOR = object()

_Tensor = torch.Tensor
_is_simulated = os.environ.get("COPYSCOPE_COPY_DEVICE") == "simulated"
_library = _describe = None
_engines = {}
_unfinished = weakref.WeakSet()


def _load():
    global _library, _describe
    if _library is None:
        path = native_library("libcopyscope_copy.so", "COPYSCOPE_COPY_LIBRARY",
                              "batches are copied on Linux, with the wheel for this processor or with a clone that was built.")
        try:
            loaded = ctypes.CDLL(path)
            loaded.copyscopeCopyError.restype = ctypes.c_char_p
        except (OSError, AttributeError) as error:
            raise CopyscopeError(f"The copy engine can't be loaded: {error}") from error
        number, address = ctypes.c_long, ctypes.c_void_p
        loaded.copyscopeCopyOpen.restype = loaded.copyscopeCopyStart.restype = loaded.copyscopeCopyBlocks.restype = address
        loaded.copyscopeCopyPlace.restype = number
        loaded.copyscopeCopyPlace.argtypes = [number, ctypes.c_int] + [address] * 5
        loaded.copyscopeCopyStart.argtypes = [address, number, ctypes.c_int] + [address] * 6
        loaded.copyscopeCopyBlocks.argtypes = [address, number, address] + [ctypes.c_int] * 3 + [number, address, address]
        for function in (loaded.copyscopeCopyState, loaded.copyscopeCopyWait, loaded.copyscopeCopyFree):
            function.argtypes = [address]
        _library, _describe = loaded, _describer(path)
    return _library


def _describer(path):
    """Returns a function of the library that finds all tensors' bytes in one call (PyTorch 2.10 and newer); else None."""
    capsule = getattr(_Tensor, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    describe = ctypes.PyDLL(path).copyscopeCopyDescribe
    describe.argtypes = [ctypes.c_void_p, ctypes.c_long] + [ctypes.c_void_p] * 3
    return functools.partial(describe, pointer(capsule, b"dlpack_exchange_api"))


def _zeros(kind, count):
    numbers = array(kind)
    return array(kind, bytes(numbers.itemsize * count))


def _problem():
    return CopyscopeError(_library.copyscopeCopyError().decode("utf-8", "replace"))


class _Engine:
    """A GPU's engine, its stream, and the device on which PyTorch allocates."""

    def __init__(self, index):
        loaded = _load()
        if not _is_simulated and index >= torch.cuda.device_count():
            raise CopyscopeError(f"There is no cuda:{index}: PyTorch finds {torch.cuda.device_count()} GPUs.")
        self.device = torch.device("cpu") if _is_simulated else torch.device("cuda", index)
        self.stream = None if _is_simulated else torch.cuda.Stream(self.device)
        self.handle = loaded.copyscopeCopyOpen(index, int(_is_simulated))
        if self.handle is None:
            raise _problem()


def _engine(device):
    if not _is_simulated and not torch.cuda.is_available():
        raise CopyscopeError("PyTorch finds no GPU: install the NVIDIA driver and a PyTorch with CUDA.")
    index = device.index if device.index is not None else 0 if _is_simulated else torch.cuda.current_device()
    if index not in _engines:
        _engines[index] = _Engine(index)
    return _engines[index]


class _Batch:
    """A batch taken apart: `sources`, dense host tensors with their addresses, and what PyTorch copies itself."""

    def __init__(self, batch, device):
        self.device = device
        self.found, self.others = [], []
        try:
            self.shape = self._take(batch)
        except RecursionError:
            raise CopyscopeError("The batch contains itself, or has more levels than Python's recursion limit.") from None
        self.sources = self.found
        if not self._is_described():
            self.found = list(map(self._made_dense, self.found))
            self.sources = [each for each in self.found if type(each) is _Tensor]
            self.addresses = array("Q", list(map(_Tensor.data_ptr, self.sources)))
            self.sizes = array("Q", list(map(attrgetter("nbytes"), self.sources)))

    def _is_described(self):
        """Returns whether all tensors are dense on the host, with their addresses and sizes in bytes if DLPack tells them."""
        if _describe is None:
            return False
        count, tensors = len(self.found), array("Q", list(map(id, self.found)))
        self.addresses, self.sizes = _zeros("Q", count), _zeros("Q", count)
        try:
            return _describe(count, *(each.buffer_info()[0] for each in (tensors, self.addresses, self.sizes))) == 1
        except (BufferError, RuntimeError, TypeError, ValueError):
            # DLPack can't describe sparse tensors.
            return False

    def _take(self, item):
        kind, add, take = type(item), self.found.append, self._take
        if kind is _Tensor:
            add(item)
            return _TENSOR
        if kind is list:
            return [_TENSOR if type(each) is _Tensor and not add(each) else take(each) for each in item]
        if kind is dict:
            return {key: _TENSOR if type(each) is _Tensor and not add(each) else take(each) for key, each in item.items()}
        if isinstance(item, tuple):
            return _tuple_like(item, [take(each) for each in item])
        if isinstance(item, _Tensor):
            return self._moved_alone(item)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(item, numpy.ndarray):
            add(_from_array(item))
            return _TENSOR
        if isinstance(item, (list, Mapping)):
            return _container_like(item, take)
        return item

    def _made_dense(self, tensor):
        """Returns a host tensor whose bytes can be copied as they are, or what PyTorch makes of another one."""
        if not tensor.is_cpu or tensor.layout is not torch.strided:
            return self._moved_alone(tensor)
        if tensor.is_contiguous():
            return tensor
        # Both keep the order of the strides, as Tensor.to does.
        strides = torch.empty_like(tensor, device="meta").stride()
        return tensor if strides == tensor.stride() else tensor.clone()

    def _moved_alone(self, tensor):
        self.others.append(tensor.to(self.device, non_blocking=True))
        return _Other(self.others[-1])

    def built(self, results):
        """Returns the batch with `results` in place of its sources."""
        results = iter(results)
        if self.others:
            results = iter([each if type(each) is _Other else next(results) for each in self.found])
        return self._build(self.shape, results)

    def _build(self, item, results):
        kind = type(item)
        build = self._build
        if item is _TENSOR:
            item = next(results)
            kind = type(item)
        if kind is _Other:
            return item.result
        if kind is list:
            return [next(results) if each is _TENSOR and not self.others else build(each, results) for each in item]
        if kind is dict:
            return {key: build(each, results) for key, each in item.items()}
        if isinstance(item, tuple):
            return _tuple_like(item, [build(each, results) for each in item])
        if isinstance(item, (list, Mapping)):
            return _container_like(item, lambda each: build(each, results))
        return item


class _Other:
    """Holds a copy that PyTorch makes: of a tensor on a GPU, a sparse one or a subclass."""

    def __init__(self, result):
        self.result = result


def _tuple_like(item, parts):
    return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)


def _container_like(item, change):
    made = copy.copy(item)
    for key, each in list(item.items() if isinstance(item, Mapping) else enumerate(item)):
        made[key] = change(each)
    return made


def _from_array(values):
    if not values.flags.c_contiguous:
        values = values.copy()
    try:
        with warnings.catch_warnings():
            # PyTorch warns that nobody may write into a read-only array. Nobody does.
            warnings.simplefilter("ignore")
            return torch.from_numpy(values)
    except (TypeError, ValueError) as error:
        raise CopyscopeError(f"An array of {values.dtype} can't be copied to a device: {error}") from None


def to_device(batch, device, strategy):
    try:
        device = torch.device(device)
    except (RuntimeError, TypeError) as error:
        raise CopyscopeError(f"{device!r} is no device of PyTorch: {error}") from None
    if strategy != "auto" and strategy not in STRATEGIES:
        raise CopyscopeError(f"{strategy!r} is no strategy. Choose one of: auto, {', '.join(STRATEGIES)}.")
    return Copy(batch, device, STRATEGIES.index("pipelined" if strategy == "auto" else strategy))


class Copy:
    """A batch under way to a device. Its sources must stay unchanged until ready() is true or get() has returned."""

    def __init__(self, batch, device, strategy):
        self._running, self._targets, self._result = [], [], None
        self._storage_of = self._offsets = ()
        self._pid = os.getpid()
        # PyTorch copies to the host and to other kinds of devices, tensor by tensor.
        self._engine = _engine(device) if device.type == "cuda" else None
        self._batch = _Batch(batch, device if self._engine is None else self._engine.device)
        self._moved = None
        if self._engine is None:
            self._results = [tensor.to(device) for tensor in self._batch.sources]
            return
        if self._batch.others and self._engine.stream is not None:
            self._moved = torch.cuda.Event()
            self._moved.record(torch.cuda.current_stream(self._engine.device))
        if self._batch.sources:
            self._start(strategy)

    def _start(self, strategy):
        batch = self._batch
        count = len(batch.sources)
        self._storage_of, self._offsets = _zeros("I", count), _zeros("Q", count)
        storages, self._alone = _zeros("Q", count), _zeros("q", count)
        arrays = batch.addresses, batch.sizes, self._storage_of, self._offsets, storages, self._alone
        at = [each.buffer_info()[0] for each in arrays]
        number = _library.copyscopeCopyPlace(count, strategy, *at[1:])
        if number < 0:
            raise _problem()
        _unfinished.add(self)
        bases = _zeros("Q", number)
        stream = self._engine.stream
        first = 0
        ends = () if number <= 4 * _GROUPS[0] else (_GROUPS[0], sum(_GROUPS))
        for end in [end for end in ends if end < count] + [count]:
            # The memory belongs to the engine's stream, whose work alone then writes into it.
            with contextlib.nullcontext() if stream is None else torch.cuda.stream(stream):
                self._allocate(storages, bases, number, end)
            started = _library.copyscopeCopyStart(self._engine.handle, end - first, strategy, at[0] + 8 * first,
                                                  at[1] + 8 * first, at[2] + 4 * first, at[3] + 8 * first,
                                                  bases.buffer_info()[0], None if stream is None else stream.cuda_stream)
            if started is None:
                raise _problem()
            self._running.append(started)
            first = end

    def _allocate(self, storages, bases, number, end):
        """Allocates the storages of the sources before `end`."""
        sources, device = self._batch.sources, self._engine.device
        if end < len(sources):
            used = [storage for storage in self._storage_of[:end] if storage != _NO_STORAGE]
            number = max(used, default=-1) + 1
        for storage in range(len(self._targets), number):
            alone = self._alone[storage]
            target = (torch.empty_like(sources[alone], device=device, requires_grad=False) if alone >= 0
                      else torch.empty(storages[storage] + 15 & ~15, dtype=torch.uint8, device=device))
            bases[storage] = target.data_ptr()
            self._targets.append(target)

    def ready(self):
        """Returns whether everything has arrived, without waiting."""
        return (all(_library.copyscopeCopyState(each) for each in self._running)
                and (self._moved is None or self._moved.query()))

    def get(self):
        """Waits until everything has arrived, and returns the batch with tensors on the device."""
        if self._result is None:
            failures = [_problem() for each in self._running if _library.copyscopeCopyWait(each) != 1]
            if failures:
                raise failures[0]
            if self._engine is not None:
                self._results = self._views()
                self._hand_over()
            self._result = (self._batch.built(self._results),)
            self._end()
            self._batch = self._results = None
            self._targets = []
        return self._result[0]

    def _views(self):
        """Returns the targets of the sources, in their order."""
        views, typed = [], {}
        for tensor, storage, offset in zip(self._batch.sources, self._storage_of, self._offsets):
            if storage == _NO_STORAGE:
                view = torch.empty_like(tensor, device=self._engine.device, requires_grad=False)
            elif self._alone[storage] >= 0:
                view = self._targets[storage]
            else:
                dtype = tensor.dtype
                base = typed.get((storage, dtype))
                if base is None:
                    base = typed[storage, dtype] = self._targets[storage].view(dtype)
                view = base.as_strided(tensor.shape, tensor.stride(), offset // base.itemsize)
            views.append(view)
        # The bytes of these say only half of it: PyTorch negates or conjugates when they are read, or follows gradients.
        for index, tensor in enumerate(self._batch.sources):
            if tensor.requires_grad and torch.is_grad_enabled():
                views[index] = tensor.to(self._engine.device)
            elif tensor.is_neg() or tensor.is_conj():
                views[index] = torch._neg_view(views[index]) if tensor.is_neg() else views[index].conj()
        return views

    def _hand_over(self):
        """Lets the allocator know that the caller's stream uses the memory from here on."""
        if self._engine.stream is None:
            return
        current = torch.cuda.current_stream(self._engine.device)
        for target in self._targets:
            target.record_stream(current)
        if self._moved is not None:
            current.wait_event(self._moved)
            for target in self._batch.others:
                if target.is_cuda:
                    target.record_stream(current)

    def _end(self):
        """Cancels what is still under way and waits until nothing uses the memory. A forked child has no such work."""
        running, self._running = self._running, []
        for each in running if self._pid == os.getpid() else ():
            _library.copyscopeCopyFree(each)

    def __del__(self):
        if getattr(self, "_running", None):
            self._end()


@atexit.register
def _end_all():
    for each in list(_unfinished):
        each._end()
