"""Copies of scattered blocks between tensors on the host and on a GPU, by the copy engine of libcopyscope_copy.so."""

import functools
import json
import os
from array import array
from collections import deque

import torch

from . import _copy
from ._program import CopyscopeError

#: In the order of native/src/copy/block_copy.h.
STRATEGIES = ("loop", "batch", "kernel", "packed", "auto")
#: Copies under way, which keep their tensors, in the order of their calls.
_under_way = deque()


def copy_blocks(tensors, strategy, table):
    if strategy not in STRATEGIES:
        raise CopyscopeError(f"strategy: {strategy!r} is no strategy. Choose one of: {', '.join(STRATEGIES)}.")
    while _under_way and _under_way[0].ready():
        _under_way.popleft().get()
    points = array("d") if table is None else _points(os.fspath(table))
    entries = [_entry(f"tensors[{number}]", *entry) for number, entry in enumerate(tensors)]
    ways = sorted({f"from {source.device} to {target.device}" for source, target, *_ in entries})
    if len(ways) != 1:
        raise CopyscopeError(f"tensors: they go {' and '.join(ways) or 'nowhere'}. Give pairs that all go one way.")
    source, target = entries[0][:2]
    simulated = _copy._is_simulated
    direction = 0 if simulated or not source.is_cuda else 2 if target.is_cuda else 1
    engine = _copy._engine(torch.device("cuda", 0) if simulated else (target if target.is_cuda else source).device)
    numbers = array("Q", [number for entry in entries for number in entry[3]])
    pinned = direction == 2 or simulated or all(entry[direction].is_pinned() for entry in entries)
    stream = None if simulated else torch.cuda.current_stream(engine.device).cuda_stream
    started = _copy._library.copyscopeCopyBlocks(
        engine.handle, len(entries), numbers.buffer_info()[0], direction, STRATEGIES.index(strategy), pinned, len(points),
        points.buffer_info()[0], stream)
    if started is None:
        raise _copy._problem()
    _under_way.append(BlockCopy(started, entries))
    return _under_way[-1]


def _entry(name, source, target, rows=None):
    """Returns both tensors, the pairs of rows, and the numbers of a BlockSet (copy_library.cpp)."""
    on_gpu = {each.device for each in (source, target) if each.is_cuda}
    if len(on_gpu) != 1 and not _copy._is_simulated:
        raise CopyscopeError(f"{name} is on {source.device} and {target.device}. Copy from, to or within one GPU.")
    heights = [1 if rows is None else (*each.shape, 0)[0] for each in (source, target)]
    row_bytes = [each.nbytes // height if height else 0 for each, height in zip((source, target), heights)]
    if row_bytes[0] != row_bytes[1] or not (source.is_contiguous() and target.is_contiguous()):
        raise CopyscopeError(f"{name} has rows of {row_bytes[0]} and {row_bytes[1]} bytes, or strides. Give contiguous tensors with "
                             "rows of one size.")
    if not isinstance(rows, torch.Tensor):
        rows = array("q", [row for pair in ([(0, 0)] if rows is None else rows) for row in pair])
        place, count = rows.buffer_info()
    elif rows.dtype == torch.int64 and not rows.is_cuda and rows.is_contiguous() and tuple(rows.shape[1:]) == (2,):
        place, count = rows.data_ptr(), 2 * rows.shape[0]
    else:
        raise CopyscopeError(f"{name} has pairs of {rows.dtype} and shape {tuple(rows.shape)} on {rows.device}. Give a list of "
                             "(source row, target row), or a host tensor of int64 and shape [n, 2].")
    return source, target, rows, (source.data_ptr(), target.data_ptr(), row_bytes[0], *heights, place, count // 2)


@functools.lru_cache(maxsize=8)
def _points(path):
    """Returns direction, bytes, number of blocks and fastest strategy of each point of a measured table."""
    try:
        with open(path, encoding="utf-8") as file:
            table = json.load(file)
        if (table["format"], table["version"]) != ("copyscope/blocks", 1):
            raise ValueError("its format is not copyscope/blocks, version 1")
        return array("d", [number for row in table["rows"] for number in (
            ("h2d", "d2h").index(row["direction"]), row["bytes"], row["count"], STRATEGIES.index(row["fastest"]))])
    except (KeyError, OSError, TypeError, ValueError) as error:
        raise CopyscopeError(f"table: {path} can't be read: {error}. Write it: copyscope calibrate --blocks FILE.json") from None


class BlockCopy(_copy.Copy):
    """A copy of blocks in its stream. Its sources must stay unchanged until ready() is true or get() has returned."""

    def __init__(self, running, kept):
        self._running, self._moved, self._kept, self._pid = [running], None, kept, os.getpid()
        _copy._unfinished.add(self)

    def get(self):
        """Waits until every block has arrived. Later work in the same stream comes after them without this."""
        failures = [_copy._problem() for each in self._running if _copy._library.copyscopeCopyWait(each) != 1]
        self._end()
        self._kept = None
        if failures:
            raise failures[0]
