"""Sends and fetches files as one agent."""

import json
import os
import warnings

from .command import run

_EMBEDDED = (
    "{name} is accepted and not used: this home is embedded, and keeps its files and its "
    "ledger itself"
)


class AgentTransfer:
    """Files to and from other agents.

    `sender` is the agent that acts; with AOS_SOCKET and AOS_HANDLE in the environment it is the
    one whose handle that is, and need not be named.
    """

    def __init__(self, sender=None, aws_profile=None, db_connection=None, home=None):
        for name, value in (("aws_profile", aws_profile), ("db_connection", db_connection)):
            if value is not None:
                warnings.warn(_EMBEDDED.format(name=name), stacklevel=2)
        self.sender = sender
        self.home = home

    def send(self, file_path, recipient, metadata=None, expires=None, progress=None):
        """Sends a file or a folder. The id of the transfer; of several recipients a list of them.

        `expires` is a time as '24h'. `progress(phase, done_bytes, total_bytes)` is called while
        it goes.
        """
        words = ["send", *_options(recipient, metadata, expires), "--", os.fspath(file_path)]
        return _ids(self._run(words, progress=progress), recipient)

    def send_buffer(
        self, buffer, filename, recipient, metadata=None, expires=None, progress=None
    ):
        """Sends what can be read from `buffer`, in bytes, under a name."""
        options = _options(recipient, metadata, expires)
        words = ["send", *options, f"--name={filename}", "-"]
        return _ids(self._run(words, source=buffer, progress=progress), recipient)

    def list_pending(self, metadata=None, sender=None):
        """What was sent to this agent and is not downloaded yet: a dict each."""
        words = ["list"]
        if metadata is not None:
            words.append(f"--metadata={json.dumps(metadata)}")
        if sender is not None:
            words.append(f"--from={sender}")
        return self._run(words)["items"]

    def download(self, transfer_id, dest=None, force=False, progress=None):
        """Fetches one, into the folder `dest` or where the program runs. The path that it has."""
        words = ["download", *([] if dest is None else [f"--dest={os.fspath(dest)}"])]
        words += [*(["--force"] if force else []), "--", transfer_id]
        return self._run(words, progress=progress)["path"]

    def status(self, transfer_id):
        """How a transfer stands: a dict."""
        return self._run(["status", "--", transfer_id])

    def _run(self, words, source=None, progress=None):
        verb, *rest = words
        whom = [] if self._is_known() or self.sender is None else [f"--as={self.sender}"]
        return run([verb, *whom, *rest], home=self.home, source=source, progress=progress)

    def _is_known(self):
        """Whether a handle says who we are; a home that was named is somebody else's."""
        names = ("AOS_SOCKET", "AOS_HANDLE")
        return self.home is None and all(os.environ.get(name) for name in names)


def _options(recipient, metadata, expires):
    recipients = [recipient] if isinstance(recipient, str) else list(recipient)
    return [
        f"--to={','.join(recipients)}",
        *([] if metadata is None else [f"--metadata={json.dumps(metadata)}"]),
        *([] if expires is None else [f"--expires={expires}"]),
    ]


def _ids(sent, recipient):
    if isinstance(recipient, str):
        return sent["id"]
    return [transfer["id"] for transfer in sent["transfers"]]
