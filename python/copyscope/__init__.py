"""Copyscope in Python: record a running program, and explain what its transfers cost.

    with copyscope.record("run.arrow") as recording:
        for batch in loader:
            copyscope.step()
            train(batch)
    print(recording.explain())
"""

from ._callbacks import lightning_callback, trace_handler, trainer_callback
from ._explain import explain
from ._notebook import load as load_ipython_extension
from ._program import CopyscopeError
from ._record import end_step, record, step
from ._signal import on_signal

__all__ = ["CopyscopeError", "copy_blocks", "end_step", "explain", "lightning_callback", "on_signal", "record", "step",
           "to_device", "trace_handler", "trainer_callback"]


def copy_blocks(tensors, *, strategy="auto", table=None):
    """Copies blocks between tensors on the host and on a GPU, or within a GPU, in the current stream.

    `tensors` is a list of (source, target), or of (source, target, rows) with pairs of a source's and a target's row, as a
    list or an int64 tensor of shape [n, 2]. Strategies: loop, batch, kernel, packed; auto takes the fastest, by `table` (a
    file of `copyscope calibrate --blocks`) if there is one. Returns a handle: ready() never waits; get() waits. The tensors
    are kept until then, and the sources must stay unchanged. To pageable memory all is there when get() has returned.
    """
    try:
        from ._blocks import copy_blocks as start
    except ImportError as error:
        raise CopyscopeError(f"copy_blocks copies PyTorch's tensors, and PyTorch can't be imported: {error}") from error
    return start(tensors, strategy, table)


def to_device(batch, device, *, strategy="auto"):
    """Starts copying the tensors and arrays in nested lists, tuples and dicts to a device, all at once.

    Returns a handle: ready() never waits; get() waits and returns the batch with tensors on the device. Other values pass
    through. The sources must stay unchanged until then. The strategies are those of the copy engine.
    """
    try:
        from ._copy import to_device as start
    except ImportError as error:
        raise CopyscopeError(f"to_device copies PyTorch's tensors, and PyTorch can't be imported: {error}") from error
    return start(batch, device, strategy)
