"""HTTP server of a witness (C2SP `tlog-witness`), for `casino follow --serve`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from casino.errors import FileError, InputError
from casino.ledger import tlog
from casino.ledger.side_files import read_note
from casino.ledger.tlog import PublicKey, SigningKey, WitnessReply
from casino.monitor.monitor import MonitorFolder

MAX_REQUEST_BYTES: Final = 64 << 10
KEY_FILE: Final = "witness.key"
_MISSING: Final = WitnessReply(404, "not found\n")
_TOO_LARGE: Final = WitnessReply(413, "a request may have at most 64 KiB\n")
_SUSPICIOUS: Final = WitnessReply(503, "this witness has found a fault and cosigns nothing more\n")


class WitnessServer:
    """A server that cosigns checkpoints for a log, and serves the newest one to monitors."""

    def __init__(
        self,
        folder: MonitorFolder,
        address: str,
        log: Callable[[], PublicKey],
        is_clean: Callable[[], bool],
        seconds: Callable[[], int],
    ) -> None:
        self._folder = folder
        self._is_clean = is_clean
        self._seconds = seconds
        self._asking = threading.Lock()
        self._log = log
        name = log().name
        self._cosigned = f"cosigned-{origin_hash(name)}"
        self._path = f"/{origin_hash(name)}/checkpoint"
        self.key = self._load_key(name)
        note, save = read_note(folder.path / self._cosigned), partial(folder.write, self._cosigned)
        seen = None if note is None else tlog.open_checkpoint(note, None)
        self._witness = tlog.Witness(self.key, log(), seen, save)
        self._server = _listen(address, self._handler())
        self.address = f"http://{self._server.server_name}:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop the server and close its socket."""
        self._server.shutdown()
        self._server.server_close()

    def add_checkpoint(self, text: str) -> WitnessReply:
        """Cosign a checkpoint if it extends the last one and the audit is clean."""
        if not self._is_clean():
            return _SUSPICIOUS
        # `Witness.answer` compares and replaces the last checkpoint, so calls must not overlap.
        with self._asking:
            # The log may have rotated its key since the last request.
            self._witness.log = self._log()
            return self._witness.answer(text, self._seconds())

    def monitored(self, path: str) -> WitnessReply:
        """Return the newest cosigned checkpoint, else the newest proved one, else status 404."""
        # Other followers compare their log with this one even if no casino asks for cosignatures.
        for name in (self._cosigned, "checkpoint"):
            note = read_note(self._folder.path / name)
            if note and path == self._path:
                return WitnessReply(200, note)
        return _MISSING

    def _load_key(self, log: str) -> SigningKey:
        file = self._folder.path / KEY_FILE
        if file.is_file():
            return SigningKey.read(file, tlog.COSIGNATURE)
        new = SigningKey.generate("witness", tlog.COSIGNATURE)
        name = f"witness/{sha256(new.public.raw).hexdigest()[:8]}/{log}"
        key = SigningKey(name, new.secret, tlog.COSIGNATURE)
        self._folder.write(KEY_FILE, f"{key.text()}\n")
        return key

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 20

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "")
                if not (length.isascii() and length.isdigit()) or int(length) > MAX_REQUEST_BYTES:
                    # The body stays unread, so the connection cannot be reused.
                    self.close_connection = True
                    self._send(_TOO_LARGE)
                    return
                body = self.rfile.read(int(length)).decode("utf-8", "replace")
                self._send(server.add_checkpoint(body) if self.path == tlog.PATH else _MISSING)

            def do_GET(self) -> None:
                self._send(server.monitored(self.path))

            def log_message(self, *_: Any) -> None: ...

            def _send(self, reply: WitnessReply) -> None:
                data = reply.body.encode()
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.content_type or tlog.TEXT_TYPE)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler


def origin_hash(origin: str) -> str:
    """Return the SHA-256 of a log's origin in hexadecimal, as used in a witness's URLs."""
    return sha256(origin.encode()).hexdigest()


def _listen(address: str, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    host, _, port = address.rpartition(":")
    if not host or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InputError(f"--serve {address}: give an address as HOST:PORT, such as 127.0.0.1:7000")
    try:
        return ThreadingHTTPServer((host, int(port)), handler)
    except OSError as error:
        text = f"cannot listen on {address} ({error.strerror})"
        raise FileError(f"{text}: choose another port with --serve") from None
