"""Steps of other training loops. Each library is imported only if its callback is made."""

import contextlib
import importlib
import os

from ._program import CopyscopeError
from ._record import end_step, free_name, record, step


def trace_handler(folder):
    """Returns a function for torch.profiler's on_trace_ready that keeps each trace in `folder`, where Copyscope opens it."""
    folder = os.path.abspath(os.fspath(folder))

    def keep(profiler):
        os.makedirs(folder, exist_ok=True)
        rank = os.environ.get("RANK")
        name = f"rank{rank}" if rank is not None else f"trace-{os.getpid()}"
        number = getattr(profiler, "step_num", 0)
        profiler.export_chrome_trace(free_name(os.path.join(folder, f"{name}.step{number}"), ".json.gz"))

    return keep


def trainer_callback(path=None, **options):
    """Returns a callback for the Trainer of Hugging Face that marks its steps, and with a path records the training."""
    base = _base("TrainerCallback", "transformers")
    return _callback(base, "on_train_begin", "on_step_begin", path, options)


def lightning_callback(path=None, **options):
    """Returns a callback for Lightning that marks its steps, and with a path records the training."""
    base = _base("Callback", "pytorch_lightning.callbacks", "lightning.pytorch.callbacks")
    return _callback(base, "on_train_start", "on_train_batch_start", path, options)


def _base(name, *modules):
    """Returns a class of the first of these modules that is installed."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except ImportError as error:
            problem = error
    raise CopyscopeError(f"There is no {name} to make a callback of: {problem}. Install its library.") from problem


def _callback(base, train_begins, step_begins, path, options):
    recording = contextlib.nullcontext() if path is None else record(path, **options)

    def begin(*_, **__):
        recording.__enter__()

    def mark(*_, **__):
        step()

    def end(*_, **__):
        end_step()
        recording.__exit__(None, None, None)

    return type("CopyscopeCallback", (base,), {train_begins: begin, step_begins: mark, "on_train_end": end})()
