"""copyscope.copy_blocks over a simulated device; with PyTorch where it is installed, else over a stand-in for it."""

import gc
import json
import tempfile
import unittest
from pathlib import Path

import test_copy

import copyscope

numpy = test_copy.numpy
ROWS = [(0, 3), (2, 1), (7, 0)]


@unittest.skipIf(test_copy.missing, test_copy.missing)
class Blocks(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(7)
        made = [test_copy.tensor(random.integers(0, 2**60, (8, 40, 13))) for _ in range(4)]
        self.source, self.target = made[:2], made[2:]
        self.expected = [each.numpy().copy() for each in self.target]

    def same(self, rows=ROWS):
        for source, target, expected in zip(self.source, self.target, self.expected):
            for first, second in rows:
                expected[second] = source.numpy()[first]
            numpy.testing.assert_array_equal(expected, target.numpy())

    def test_copies_rows_of_several_tensors_by_every_strategy(self):
        for strategy in ("loop", "batch", "kernel", "packed", "auto"):
            self.setUp()
            handle = copyscope.copy_blocks([(*pair, ROWS) for pair in zip(self.source, self.target)], strategy=strategy)
            self.assertIsNone(handle.get())
            self.assertTrue(handle.ready())
            self.same()

    def test_takes_pairs_of_tensors_and_rows_in_a_tensor(self):
        copyscope.copy_blocks([(self.source[0], self.target[0], test_copy.tensor(numpy.array(ROWS)))]).get()
        self.expected = self.expected[:1]
        self.same()
        copyscope.copy_blocks([(self.source[0], self.target[0])]).get()
        self.same([(row, row) for row in range(8)])
        copyscope.copy_blocks([(self.source[1], self.target[1], [])]).get()

    def test_ends_dropped_copies_and_keeps_their_tensors(self):
        for _ in range(100):
            copyscope.copy_blocks([(self.source[0], self.target[0], ROWS)], strategy="kernel")
            gc.collect()
        copyscope.copy_blocks([(self.source[1], self.target[1], ROWS)]).get()
        self.same()

    def test_reads_a_table_of_measurements(self):
        row = {"direction": "h2d", "bytes": 4096, "count": 16, "fastest": "packed"}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "blocks.json")
            path.write_text(json.dumps({"format": "copyscope/blocks", "version": 1, "rows": [row]}))
            copyscope.copy_blocks([(*pair, ROWS) for pair in zip(self.source, self.target)], table=path).get()
            self.same()
            path = Path(folder, "other.json")
            path.write_text("{}")
            with self.assertRaisesRegex(copyscope.CopyscopeError, "^table: .*calibrate --blocks"):
                copyscope.copy_blocks([(self.source[0], self.target[0])], table=path)

    def test_refuses_wrong_requests_with_field_and_remedy(self):
        source, target = self.source[0], self.target[0]
        for pattern, tensors, options in (
            ("^strategy: 'fast' .* Choose", [(source, target)], {"strategy": "fast"}),
            ("^tensors: .* Give", [], {}),
            (r"^tensors\[0\] .* Give", [(source, test_copy.tensor(numpy.zeros((8, 3))), ROWS)], {}),
            (r"^blocks\[1\] names row 8 of the target, .* Give", [(source, target, [(0, 0), (1, 8)])], {}),
        ):
            with self.assertRaisesRegex(copyscope.CopyscopeError, pattern):
                copyscope.copy_blocks(tensors, **options)
