"""copyscope.to_device over a simulated device; with PyTorch where it is installed, else over a stand-in for it."""

import gc
import os
import subprocess
import sys
import unittest
import unittest.mock
from collections import OrderedDict, namedtuple
from pathlib import Path

from standin import PYTHON

HERE = Path(__file__).resolve().parent
LIBRARY = PYTHON / "../native/build/Release/libcopyscope_copy.so"
os.environ["COPYSCOPE_COPY_DEVICE"] = "simulated"
sys.path.insert(0, str(PYTHON))
try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    sys.path.append(str(HERE / "standin_torch"))
    if numpy is not None:
        import torch

import copyscope

missing = "there is no numpy" if numpy is None else None if LIBRARY.exists() else "there is no libcopyscope_copy.so"
Pair = namedtuple("Pair", "first second")


def tensor(values):
    return torch.from_numpy(numpy.asarray(values))


@unittest.skipIf(missing, missing)
class Copies(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(7)

    def bytes(self, count):
        return self.random.integers(0, 256, count, dtype=numpy.uint8)

    def same(self, source, target):
        self.assertIs(type(target), torch.Tensor)
        expected = source if isinstance(source, numpy.ndarray) else source.numpy()
        numpy.testing.assert_array_equal(expected, target.numpy(), strict=True)

    def test_says_that_there_is_no_gpu(self):
        from copyscope import _copy

        none = unittest.mock.Mock(is_available=lambda: False)
        for device in ("cuda", "cuda:0"):
            with unittest.mock.patch.object(_copy, "_is_simulated", False), unittest.mock.patch.object(torch, "cuda", none, create=True):
                with self.assertRaisesRegex(copyscope.CopyscopeError, "PyTorch finds no GPU"):
                    copyscope.to_device([tensor([1])], device)

    def test_keeps_the_structure_and_the_values_of_other_types(self):
        other = object()
        batch = {"list": [tensor([1, 2]), "text", None], "pair": Pair(tensor([0.5]), other), 3: (numpy.arange(4),),
                 "ordered": OrderedDict(a=tensor([True]))}
        result = copyscope.to_device(batch, "cuda:0").get()
        self.same(batch["list"][0], result["list"][0])
        self.assertEqual(result["list"][1:], ["text", None])
        self.assertIs(type(result["pair"]), Pair)
        self.same(batch["pair"].first, result["pair"].first)
        self.assertIs(result["pair"].second, other)
        self.same(batch[3][0], result[3][0])
        self.assertIs(type(result["ordered"]), OrderedDict)
        self.same(batch["ordered"]["a"], result["ordered"]["a"])
        self.same(tensor([4]), copyscope.to_device(tensor([4]), "cuda").get())
        self.assertEqual(copyscope.to_device("no tensor", "cuda").get(), "no tensor")

    def test_copies_small_large_empty_and_strided_tensors_by_every_strategy(self):
        from copyscope._copy import STRATEGIES

        arrays = [self.bytes(size) for size in (1, 17, 300_000, 0, 4_000, 600_001)]
        arrays += [numpy.arange(60, dtype=kind).reshape(3, 4, 5) for kind in ("i2", "i8", "f4", "f8", "c16")]
        arrays += [arrays[-1].transpose(2, 0, 1), arrays[-2][::2, ::-1, 1:], numpy.array(2.5)]
        for strategy in ("auto", *STRATEGIES):
            result = copyscope.to_device(arrays, "cuda:0", strategy=strategy).get()
            for source, target in zip(arrays, result):
                self.same(source, target)

    def test_copies_batches_of_many_storages_in_groups(self):
        arrays = [self.bytes(size) for size in [270_000] * 20 + [5] * 90 + [263_000] * 300]
        for source, target in zip(arrays, copyscope.to_device(arrays, "cuda:0").get()):
            self.same(source, target)

    def test_keeps_the_order_of_strides_of_dense_tensors(self):
        dense = tensor(numpy.arange(24).reshape(2, 3, 4).transpose(2, 0, 1))
        result = copyscope.to_device([dense], "cuda:0").get()[0]
        self.assertEqual(result.stride(), dense.stride())

    def test_keeps_sources_alive_and_lets_them_change_after_get(self):
        for size in (100, 3_000_000):
            expected = self.bytes(size)
            handle = copyscope.to_device([tensor(expected.copy())], "cuda:0")
            gc.collect()
            self.same(expected, handle.get()[0])
            source = expected.copy()
            result = copyscope.to_device([tensor(source)], "cuda:0").get()
            source[:] = 0
            self.same(expected, result[0])

    def test_a_handle_is_ready_in_the_end_gives_one_result_and_can_be_dropped(self):
        sources = [self.bytes(2_000_000) for _ in range(20)]
        for _ in range(5):
            copyscope.to_device(sources, "cuda:0")
        handle = copyscope.to_device(sources, "cuda:0")
        while not handle.ready():
            pass
        self.assertIs(handle.get(), handle.get())

    def test_a_copy_to_the_host_is_pytorchs_own(self):
        self.same(tensor([1, 2]), copyscope.to_device([tensor([1, 2])], "cpu").get()[0])

    def test_refuses_other_devices_strategies_arrays_and_cycles_in_words(self):
        cycle = []
        cycle.append(cycle)
        for batch, device, strategy, words in (([], "gpu", "auto", "'gpu' is no device of PyTorch"),
                                               ([], "cuda", "fast", "'fast' is no strategy. Choose one of: auto, blocking-loop"),
                                               ([numpy.array([None])], "cuda", "auto", "An array of object can't be copied"),
                                               (cycle, "cuda", "auto", "The batch contains itself")):
            with self.assertRaisesRegex(copyscope.CopyscopeError, words):
                copyscope.to_device(batch, device, strategy=strategy).get()

    def test_says_which_library_is_missing(self):
        text = "import copyscope\ntry: copyscope.to_device([], 'cuda')\nexcept copyscope.CopyscopeError as error: print(error)"
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COPYSCOPE_COPY_LIBRARY": "/none.so"}
        told = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True)
        self.assertRegex(told.stdout, r"^There is no libcopyscope_copy\.so for this system: batches are copied on Linux")

    def test_ends_with_copies_under_way_and_in_a_forked_child(self):
        text = """import copyscope, numpy, os
handle = copyscope.to_device([numpy.ones(3_000_000) for _ in range(20)], "cuda")
if os.fork() == 0: raise SystemExit(0)
print(os.wait()[1])
more = copyscope.to_device([numpy.ones(3_000_000) for _ in range(20)], "cuda")"""
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        ended = subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, timeout=300)
        self.assertEqual((ended.returncode, ended.stdout), (0, "0\n"), ended.stderr)
