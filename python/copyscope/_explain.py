"""Explanations of a run."""

import html
import json
import os
import tempfile

from ._program import CopyscopeError, run


def explain(path, *, steps=None, changes=None, step_ms=None):
    """Explains a run, a trace or an experiment: see Explanation. For example steps="3..5", changes=["pin"], step_ms=6."""
    tried = changes if changes is None or isinstance(changes, str) else ",".join(changes)
    options = [word for name, value in (("--steps", steps), ("--try", tried), ("--step-ms", step_ms)) if value is not None
               for word in (name, value)]
    path = os.fspath(path)
    if not os.path.exists(path):
        raise CopyscopeError(f"There is no {path}.")
    return Explanation(path, json.loads(run("explain", path, "--json", *options)), steps)


class Explanation:
    """The object that `copyscope explain --json` prints, in `data`, with its main parts at hand.

    answer    where the time goes and what to change, in a sentence; None if the file is no trace or has no steps
    step      count, rule and duration of the program's steps; None if the file is no trace or has none
    parts     where the time of a step goes
    plan      changes to the program with their gains, the recommended one first
    verdicts  why each copy did or did not overlap a kernel
    """

    def __init__(self, path, data, steps):
        self.path, self.data, self._steps = path, data, steps
        self.answer, self.step, self.plan = data.get("answer"), data.get("steps"), data.get("plan", [])
        self.parts = (self.step or {}).get("parts", [])
        self.verdicts = data["verdicts"]

    def to_pandas(self, what="operations"):
        """Returns a list of `data` as a DataFrame: operations, verdicts, plan, calls, launches and others; or parts."""
        try:
            import pandas
        except ImportError as error:
            raise CopyscopeError('pandas can\'t be imported. Run pip install "copyscope[pandas]".') from error
        rows = self.parts if what == "parts" else self.data.get(what)
        if not isinstance(rows, list):
            lists = [name for name, value in self.data.items() if isinstance(value, list)]
            raise CopyscopeError(f"{what} is no list of this explanation. Choose one of: parts, {', '.join(lists)}.")
        return pandas.json_normalize(rows)

    def __repr__(self):
        lines = [self.answer or " ".join([f"{self.data['name']}: no steps to explain.", *self.data["notes"][:1]])]
        lines += [f"  {part['share']:6.1%}  {part['ns'] / 1e6:9.3f} ms  {part['title']}" for part in self.parts if part["ns"]]
        for remedy in self.plan[:3]:
            sure = f"{remedy['lowShare']:.0%} to {remedy['highShare']:.0%}"
            lines.append(f"  {', '.join(remedy['changes'])}: {remedy['gainShare']:.0%} less ({sure}), {', '.join(remedy['lines'])}")
        return "\n".join(lines)

    def _repr_html_(self):
        """The report as one HTML page in a frame of its own."""
        with tempfile.TemporaryDirectory(prefix="copyscope-") as folder:
            page = os.path.join(folder, "report.html")
            options = [] if self._steps is None else ["--steps", self._steps]
            try:
                run("report", self.path, "--out", page, *options)
            except CopyscopeError as error:
                return f"<pre>{html.escape(f'{self!r}{chr(10)}There is no report: {error}')}</pre>"
            with open(page, encoding="utf-8") as file:
                source = html.escape(file.read(), quote=True)
        return (f'<iframe title="Copyscope report" sandbox="allow-scripts" srcdoc="{source}"'
                ' style="width: 100%; height: 640px; border: 0"></iframe>')
