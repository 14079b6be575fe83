"""HTTP and Socket.IO client of a running casino."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPException
from http.cookiejar import LoadError, MozillaCookieJar
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import HTTPCookieProcessor, Request, build_opener

import click

from casino.client import SECONDS, not_a_casino, parse_casino_url
from casino.config import BOT_NAMES, PASSWORD_VARIABLE
from casino.errors import CasinoError, InputError, RefusalReason, Refused, no_casino

WRONG_PASSWORD: Final = RefusalReason(
    "wrong_password", "name_taken", "wrong password for {name}: try again, or choose another name"
)


class CasinoClient:
    """Client for one visitor, who stays signed in between runs under a `name`."""

    def __init__(self, url: str, name: str | None = None) -> None:
        self.url = url = parse_casino_url(url)
        self._file = None if name is None else cookie_file(name, url)
        self._jar = MozillaCookieJar(self._file)
        self._load_cookies()
        self._opener = build_opener(HTTPCookieProcessor(self._jar))

    def get(self, path: str) -> dict[str, Any]:
        """Request a path and return its JSON; raise `Refused` if the casino refuses."""
        return self._send(Request(self.url + path))

    def read(self, path: str) -> bytes:
        """Download the bytes at a path; raise `InputError` if that fails."""
        status, data = self._open(Request(self.url + path))
        if status >= 300:
            raise InputError(
                f"{self.url}{path} cannot be read (status {status}): check the address"
            )
        return data

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Post JSON and return the response; raise `Refused` if the casino refuses."""
        data = json.dumps(body).encode()
        return self._send(Request(self.url + path, data, {"Content-Type": "application/json"}))

    def enter(self, name: str, password: str | None = None) -> dict[str, Any]:
        """Log in and stay so in later runs, or create an account if the name is new."""
        with ExitStack() as stack:
            if self._file is not None:
                with suppress(OSError):  # `_keep_cookies` refuses a folder that cannot be written
                    stack.enter_context(locked(self._file))
            # Of two first commands under a new name, the second uses the cookies of the first.
            self._load_cookies()
            body = {"name": name} if password is None else {"name": name, "password": password}
            if not len(self._jar):
                # A cookie from before the account exists allows a retry if no answer comes.
                with suppress(InputError):
                    self.read("/")
            is_new = not self._is_known()
            # Check first that cookies can be saved: without them a new name would be lost.
            self._keep_cookies()
            try:
                answer = self.post("/api/enter", body)
            except Refused as refusal:
                if is_new and self._file is not None:
                    self._file.unlink(missing_ok=True)
                if password is None or refusal.reason != "name_taken":
                    raise
                raise Refused(WRONG_PASSWORD, name=name) from None
            self._keep_cookies()
            return answer

    def enter_interactively(self, name: str) -> None:
        """Log in with the password in the environment, or ask for one if the name needs it."""
        password = os.environ.get(PASSWORD_VARIABLE)
        try:
            self.enter(name, password)
            return
        except Refused as refusal:
            # Other reasons with this code mean that no one can have the name.
            if refusal.reason != "name_taken":
                raise
        if not sys.stdin.isatty():
            if self._is_known():
                raise self._not_signed_in(name)
            holder = " by a bot" if name.casefold() in BOT_NAMES else ""
            raise CasinoError(
                f"the name {name} is taken{holder}: if it is yours, set {PASSWORD_VARIABLE} to "
                "its password; otherwise choose another name"
            )
        self.enter(name, click.prompt(f"Password for {name}", hide_input=True, err=True))

    def sign_in(self, name: str) -> None:
        """Log in as `enter_interactively` does, but never open an account for a misspelt name."""
        if not self._is_known() and PASSWORD_VARIABLE not in os.environ:
            self.get("/api/tables")  # if no casino responds there, say so instead
            raise self._not_signed_in(name)
        self.enter_interactively(name)

    def tables(self, wanted: str | None, link: str | None = None) -> list[str]:
        """Return the names of all tables; raise `CasinoError` if `wanted` is not among them."""
        if wanted and link:
            # A wrong key shows no page: the table is then unknown.
            with suppress(InputError):
                self.read(f"/table/{quote(wanted)}?link={quote(link)}")
        names = [table["table"] for table in self.get("/api/tables")["tables"]]
        if wanted is not None and wanted not in names:
            raise CasinoError(
                f"there is no table {wanted}: choose one of {', '.join(names)}, or give the right"
                " --link"
            )
        return names

    def change_password(self, new: str, password: str | None) -> None:
        """Set or change the password and save the session; `password` is the old one, if any."""
        self.post("/api/password", {"new_password": new, "password": password})
        self._keep_cookies()

    def connect(self, **heard: Callable[..., None]) -> None:
        """Open the Socket.IO connection; `heard` maps event names to handlers."""
        from casino.client.connection import OrderedSocketClient

        self.line = OrderedSocketClient()
        for name, handler in heard.items():
            self.line.on(name, handler)
        cookie = "; ".join(f"{cookie_item.name}={cookie_item.value}" for cookie_item in self._jar)
        self.line.open(self.url, {"Cookie": cookie} if cookie else {})

    def request(self, message: str, **payload: Any) -> dict[str, Any]:
        """Send a message and return its acknowledgement, or raise `Refused`."""
        answer: dict[str, Any] = self.line.call(message, payload, timeout=SECONDS)
        if not answer["ok"]:
            raise Refused.from_json(answer)
        return answer

    def close(self) -> None:
        """Disconnect, and do not reconnect."""
        self.line.shutdown()
        # An attempt to reconnect may have succeeded meanwhile.
        if self.line.connected:
            self.line.disconnect()

    def _is_known(self) -> bool:
        return self._file is not None and self._file.exists()

    def _not_signed_in(self, name: str) -> CasinoError:
        advice = f"set {PASSWORD_VARIABLE} to the password"
        if self._file is not None and not self._is_known():
            names = [file.stem for file in self._file.parent.glob("*.cookies")]
            alike = [f"write {other}, " for other in names if other.casefold() == name.casefold()]
            advice = f"{''.join(alike)}{advice}, or give the address where you bet"
        return CasinoError(f"not signed in as {name} at {self.url}: {advice}")

    def _load_cookies(self) -> None:
        if self._is_known():
            try:
                self._jar.load()
            except LoadError:
                raise InputError(f"{self._file} is not a cookie file: delete it") from None

    def _keep_cookies(self) -> None:
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # Only the owner may read the cookies.
            self._file.touch(mode=0o600)
            self._jar.save()
        except OSError as error:
            if PASSWORD_VARIABLE in os.environ:
                return  # It signs in the next command, too.
            raise InputError(
                f"cannot write {self._file} ({error.strerror}), which keeps you signed in: set "
                f"XDG_CONFIG_HOME to a folder that you can write to, or set {PASSWORD_VARIABLE}"
            ) from None

    def _send(self, request: Request) -> dict[str, Any]:
        status, data = self._open(request)
        answer: dict[str, Any] | None = None
        with suppress(ValueError):
            answer = json.loads(data)
        if not isinstance(answer, dict):
            if status < 300:
                raise no_casino(self.url)
            answer = {"code": "unavailable", "message": f"HTTP status {status}"}
        if status == 404 and answer.get("reason", "no_address") == "no_address":
            raise not_a_casino(self.url)
        if not answer.get("ok"):
            raise Refused.from_json(answer)
        return answer

    def _open(self, request: Request) -> tuple[int, bytes]:
        try:
            with self._opener.open(request, timeout=SECONDS) as response:
                return response.status, response.read()
        except HTTPError as error:
            with error:
                return error.code, error.read()
        except (OSError, HTTPException) as error:
            raise no_casino(self.url, error) from None


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Keep the user's other processes from changing a file until the end of the block."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = file.with_suffix(".lock")
    lock.touch(mode=0o600)
    with lock.open("r+") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        yield


def cookie_file(name: str, url: str) -> Path:
    """Return the path of a player's cookie file for a casino, with unsafe characters escaped."""
    casino = quote(url.rstrip("/").rpartition("://")[2], safe="").replace("..", "%2E%2E")
    # Hexadecimal digits after an escaped character could be read as part of its code, so they are
    # escaped too.
    safe = re.sub(
        r"[^A-Za-z0-9_-][0-9a-f]*",
        lambda match: "".join(f"%{ord(character):x}" for character in match[0]),
        name,
    )
    return Path(click.get_app_dir("casino")) / casino / f"{safe}.cookies"
