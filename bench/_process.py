"""A process of the bench, which is told what to do by lines."""

import subprocess
import sys

import click


class Process:
    """A process of the bench that is told what to do by lines, and says what it found."""

    def __init__(self, module: str, *given: object) -> None:
        command = [sys.executable, "-m", module, *map(str, given)]
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def hear(self) -> str:
        """The next line it prints."""
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        if not line:
            raise click.ClickException("a process of the bench has died")
        return line.strip()

    def say(self, text: object = "") -> None:
        """Have it go on."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(f"{text}\n")
        self.popen.stdin.flush()

    def end(self) -> None:
        """End it."""
        self.popen.terminate()
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            if pipe is not None:
                pipe.close()
