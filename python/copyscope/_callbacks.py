"""Steps of other training loops. Each library is imported only if its callback is made."""

import importlib
import os

from ._program import CopyscopeError
from ._record import end_step, free_name, record, step


def trace_handler(folder):
    folder = os.path.abspath(os.fspath(folder))

    def keep(profiler):
        os.makedirs(folder, exist_ok=True)
        rank = os.environ.get("RANK")
        name = f"rank{rank}" if rank is not None else f"trace-{os.getpid()}"
        number = getattr(profiler, "step_num", 0)
        profiler.export_chrome_trace(free_name(os.path.join(folder, f"{name}.step{number}"), ".json.gz"))

    return keep


class _Steps:
    def __init__(self, path, options):
        self._recording = record(path, **options) if path is not None else None

    def begin(self):
        if self._recording is not None:
            self._recording.__enter__()

    def end(self):
        end_step()
        if self._recording is not None:
            self._recording.__exit__(None, None, None)


def _base(name, *modules):
    """Returns a class of the first of these modules that is installed."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except ImportError as error:
            problem = error
    raise CopyscopeError(f"There is no {name} to make a callback of: {problem}. Install its library.") from problem


def trainer_callback(path=None, **options):
    steps = _Steps(path, options)

    class CopyscopeCallback(_base("TrainerCallback", "transformers")):
        def on_train_begin(self, *_, **__):
            steps.begin()

        def on_step_begin(self, *_, **__):
            step()

        def on_train_end(self, *_, **__):
            steps.end()

    return CopyscopeCallback()


def lightning_callback(path=None, **options):
    steps = _Steps(path, options)

    class CopyscopeCallback(_base("Callback", "pytorch_lightning.callbacks", "lightning.pytorch.callbacks")):
        def on_train_start(self, *_, **__):
            steps.begin()

        def on_train_batch_start(self, *_, **__):
            step()

        def on_train_end(self, *_, **__):
            steps.end()

    return CopyscopeCallback()
