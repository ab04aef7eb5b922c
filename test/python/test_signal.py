"""Recordings of a running program: by a signal, and by copyscope attach."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

from standin import PYTHON, StandInTest

PYTHON_3_14 = shutil.which("python3.14")

WAITING = """
copyscope.on_signal(seconds=0.5)
print("ready", flush=True)
while not os.path.exists("over"):
    copyscope.step()
    play(1)
    time.sleep(0.005)
"""


#: A program that has never heard of the package.
OTHER = """
import ctypes, os, sys, time
program = ctypes.CDLL("libstandin_program.so")
print("ready", flush=True)
while not os.path.exists("over"):
    program.standinPlay(1, 0)
    time.sleep(0.005)
print("copyscope" in sys.modules)
"""

#: Stands for sys.remote_exec in an older Python: a program with HEARS runs the file between two instructions.
REMOTE_EXEC = """
import os, signal, sys
def remote_exec(pid, script):
    with open("script", "w") as file: file.write(script)
    os.kill(pid, signal.SIGUSR1)
sys.remote_exec = remote_exec
"""
HEARS = """
import signal
signal.signal(signal.SIGUSR1, lambda *_: exec(open(open("script").read()).read(), {}))
"""


class Signal(StandInTest):
    def start_waiting(self, text=WAITING, **options):
        program = self.start(text, **options)
        self.addCleanup(program.communicate)
        self.addCleanup(program.kill)
        while program.stdout.readline().strip() != "ready":
            self.assertIsNone(program.poll())
        return program

    def end(self, program):
        (self.folder / "over").touch()
        _, err = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 0, err)
        return err

    def end_when_recorded(self, program):
        while not (self.folder / "run.arrow.parts").is_dir() and program.poll() is None:
            time.sleep(0.1)
        # Some steps are recorded before it ends.
        time.sleep(1)
        self.end(program)

    def cli(self, *words, path=""):
        return subprocess.run([sys.executable, "-m", "copyscope", *map(str, words)], cwd=self.folder, text=True,
                              env={**os.environ, "PYTHONPATH": f"{PYTHON}:{path}"}, capture_output=True, timeout=300)

    def test_records_each_time_that_the_signal_comes(self):
        program = self.start_waiting()
        for ending in ("", "-2"):
            program.send_signal(signal.SIGUSR2)
            path = self.folder / f"recording-{program.pid}{ending}.arrow"
            for _ in range(600):
                if path.exists():
                    break
                time.sleep(0.1)
            # The second signal may not come before the first recording is over.
            time.sleep(1)
        self.end(program)
        out, _ = self.run_program(f"""
for ending in ("", "-2"): print(copies("recording-{program.pid}" + ending + ".arrow") > 10)
""")
        self.assertEqual(out, ["True", "True"])

    def test_attach_records_steps_and_explains_them(self):
        program = self.start_waiting()
        ended = self.cli("attach", program.pid, "--steps", 20, "--out", "run.arrow")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("Recorded: 20 copies", ended.stderr)
        self.assertIn("step", ended.stdout)
        self.end(program)
        self.assertEqual(sorted(os.listdir(self.folder)), ["over", "program.py", "run.arrow"])

    def test_attach_keeps_a_recording_whose_program_ends_during_it(self):
        program = self.start_waiting()
        ending = threading.Thread(target=self.end_when_recorded, args=(program,))
        ending.start()
        ended = self.cli("attach", program.pid, "--duration", 300, "--out", "run.arrow")
        ending.join()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertTrue((self.folder / "run.arrow").exists())

    def test_attach_never_signals_a_program_that_does_not_wait(self):
        program = self.start_waiting(WAITING.replace("copyscope.on_signal(seconds=0.5)", ""))
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 2)
        self.assertRegex(ended.stderr, "its Python is older than 3.14[\\s\\S]*import copyscope; copyscope.on_signal\\(\\)")
        self.end(program)

    def attach_to_other(self, program):
        """Attaches to a program that doesn't import the package, and ends it."""
        ended = self.cli("attach", program.pid, "--duration", 1, "--out", "run.arrow", path=self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"Copyscope was loaded into process {program.pid}", ended.stderr)
        self.assertRegex(ended.stderr, r"Recorded: \d+ copies")
        (self.folder / "over").touch()
        out, err = program.communicate(timeout=60)
        self.assertEqual((program.returncode, err, out.splitlines()[-1]), (0, "", "True"))

    def test_attach_loads_the_package_into_a_program_by_what_stands_for_remote_exec(self):
        (self.folder / "sitecustomize.py").write_text(REMOTE_EXEC)
        self.attach_to_other(self.start_waiting(HEARS + OTHER, prelude=""))

    @unittest.skipIf(PYTHON_3_14 is None, "there is no python3.14")
    def test_attach_loads_the_package_into_a_program_of_python_3_14(self):
        self.attach_to_other(self.start_waiting(OTHER, prelude="", python=PYTHON_3_14))

    @unittest.skipIf(PYTHON_3_14 is None, "there is no python3.14")
    def test_attach_says_what_to_add_to_a_program_that_refuses_files_of_others(self):
        program = self.start_waiting(OTHER, prelude="", python=PYTHON_3_14, PYTHON_DISABLE_REMOTE_DEBUG="1")
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("import copyscope; copyscope.on_signal()", ended.stderr)
        self.end(program)

    def test_attach_leaves_a_program_alone_that_uses_the_signal_itself(self):
        program = self.start_waiting("""
import signal
signal.signal(signal.SIGUSR2, lambda *_: None)
""" + OTHER, prelude="")
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("uses SIGUSR2 for something else", ended.stderr)
        self.end(program)

    def test_attach_tells_what_failed_in_the_program(self):
        program = self.start_waiting(COPYSCOPE_STANDIN_TAKEN="CUPTI for Kineto")
        ended = self.cli("attach", program.pid)
        self.assertEqual(ended.returncode, 3)
        self.assertIn("CUPTI for Kineto uses CUPTI", ended.stderr)
        self.end(program)


if __name__ == "__main__":
    unittest.main()
