"""Runs ``agent-transfer --json``: what it answers, and how far it is."""

import json
import os
import shlex
import shutil
import subprocess
import threading
from pathlib import Path

from .errors import TransferError


def find_command():
    """The words of the command: OS1_TRANSFER_COMMAND, the PATH, or the checkout around us."""
    said = os.environ.get("OS1_TRANSFER_COMMAND", "")
    if said:
        return shlex.split(said)
    found = shutil.which("agent-transfer")
    if found is not None:
        return [found]
    ours = Path(__file__).resolve().parents[3] / "bin" / "agent-transfer.cjs"
    if ours.is_file():
        return [str(ours)]
    raise TransferError(
        "usage.unknown-command",
        "There is no agent-transfer command on the PATH",
        "npm install -g agent-os, or set OS1_TRANSFER_COMMAND",
    )


def run(words, home=None, source=None, progress=None):
    """What the command answers. `source` is read in parts and piped in."""
    place = [] if home is None else ["--home", os.fspath(home)]
    full = [*find_command(), "--json", *place, *words]
    try:
        process = subprocess.Popen(
            full,
            stdin=subprocess.DEVNULL if source is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as failure:
        raise TransferError(
            "usage.unknown-command",
            f"agent-transfer cannot be run: {failure.strerror}",
            "Check the PATH and OS1_TRANSFER_COMMAND",
        ) from failure
    with process:
        # All three at once: a pipe that nobody reads would stop the command when it is full.
        words_said = []
        listener = threading.Thread(target=_listen, args=(process.stderr, progress, words_said))
        feeder = threading.Thread(target=_feed, args=(process.stdin, source))
        listener.start()
        feeder.start()
        try:
            answer = process.stdout.read()
        except BaseException:
            # Ctrl-C reaches the command too, which keeps what it has.
            process.terminate()
            raise
        finally:
            feeder.join()
            listener.join()
    return _data_of(answer, words_said)


def _feed(pipe, source):
    if pipe is None:
        return
    try:
        with pipe:
            while part := source.read(1024 * 1024):
                pipe.write(part)
    except (BrokenPipeError, ValueError):
        # The command has ended before it had read all, and says why.
        pass


def _listen(pipe, progress, words_said):
    for line in pipe:
        told = _progress_in(line)
        if told is None:
            words_said.append(line.decode(errors="replace"))
        elif progress is not None:
            progress(told["phase"], told["done_bytes"], told["total_bytes"])


def _progress_in(line):
    try:
        content = json.loads(line)
    except ValueError:
        return None
    return content.get("progress") if isinstance(content, dict) else None


def _data_of(answer, words_said):
    try:
        content = json.loads(answer)
    except ValueError as failure:
        said = "".join(words_said).strip() or "it printed nothing"
        raise TransferError(
            "gateway.strange-answer", f"agent-transfer answered no JSON: {said}"
        ) from failure
    if content["ok"]:
        return content["data"]
    error = content["error"]
    raise TransferError(
        error["code"], error["message"], error.get("fix"), error.get("details")
    )
