"""Steps of other training loops. Each library is imported only if its callback is made."""

import os

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


def trainer_callback(path=None, **options):
    from transformers import TrainerCallback

    steps = _Steps(path, options)

    class CopyscopeCallback(TrainerCallback):
        def on_train_begin(self, *_, **__):
            steps.begin()

        def on_step_begin(self, *_, **__):
            step()

        def on_train_end(self, *_, **__):
            steps.end()

    return CopyscopeCallback()


def lightning_callback(path=None, **options):
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback

    steps = _Steps(path, options)

    class CopyscopeCallback(Callback):
        def on_train_start(self, *_, **__):
            steps.begin()

        def on_train_batch_start(self, *_, **__):
            step()

        def on_train_end(self, *_, **__):
            steps.end()

    return CopyscopeCallback()
