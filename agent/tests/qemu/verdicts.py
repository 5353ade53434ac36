"""What became of each case, as JUnit and as lines."""

import time
import xml.etree.ElementTree as ElementTree

TOLD_LINES = 3  # of a guest's last ones, marked so that a summary shows them


class Verdicts:
    def __init__(self):
        self._suite = ElementTree.Element("testsuite", name="judge")
        self._since = time.monotonic()
        self._names = set()
        self.failures = 0

    def _case(self, story, name):
        if (story, name) in self._names:
            raise ValueError(f"{story} {name} is judged twice")
        self._names.add((story, name))
        now = time.monotonic()
        case = ElementTree.SubElement(self._suite, "testcase", classname=f"judge.{story}",
                                      name=name, time=f"{now - self._since:.1f}")
        self._since = now
        return case

    def passed(self, story, name, what):
        self._case(story, name)
        print(f"# ok {story} {name}: {what}", flush=True)

    def failed(self, story, name, why, guest=None):
        words = guest.last_words() if guest is not None else []
        told = [f"ERROR guest: {line}" for line in words[-TOLD_LINES:]]
        failure = ElementTree.SubElement(self._case(story, name), "failure",
                                         message=f"FAILED {name}: {why}")
        failure.text = "\n".join(told + words)
        self.failures += 1
        print(f"# FAILED {story} {name}: {why}", flush=True)

    def judge(self, story, name, right, what, why="it is not so", guest=None):
        if right:
            self.passed(story, name, what)
        else:
            self.failed(story, name, why, guest)
        return right

    def attempt(self, story, name, call, *arguments):
        """What the call answers; a case that has failed if it raises."""
        try:
            return call(*arguments)
        except Exception as error:  # whatever it is, the others go on
            self.failed(story, name, f"{type(error).__name__}: {error}")
            return None

    def call(self, story, name, what, call, *arguments):
        """A case: the call answers what is wrong, or None."""
        before = self.failures
        wrong = self.attempt(story, name, call, *arguments)
        if self.failures == before:
            self.judge(story, name, wrong is None, what, wrong)

    def of_guest(self, story, guest, names):
        """The cases that a guest judges by itself; those it did not come to have failed too."""
        for name in names:
            if name in guest.passed:
                self.passed(story, name, guest.passed[name])
            elif name == guest.failed:
                self.failed(story, name, "in the guest", guest)
            else:
                self.failed(story, name, "the guest did not come to it", guest)

    def write(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = ElementTree.tostring(self._suite, encoding="unicode")
        path.write_text("".join(c for c in text if c >= " " or c in "\n\t"))
