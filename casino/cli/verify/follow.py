"""`casino follow`: audit a casino on another machine, continuously."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import click

from casino.audit.check import Finding
from casino.cli import common
from casino.cli.verify.audit import decide_again
from casino.client import parse_casino_url
from casino.clock import wall_ms
from casino.errors import UnreachableError, escape_unprintable
from casino.ledger.tlog import read_key
from casino.monitor.monitor import CHECK, LogMonitor, MonitorFolder
from casino.monitor.tile_client import TileClient
from casino.monitor.witness_server import WitnessServer, origin_hash


@click.command(epilog="Example: casino follow http://casino.example --once")
@common.config_checked
@click.argument("url")
@click.option(
    "--state",
    type=common.FOLDER,
    default=Path("followed"),
    show_default=True,
    metavar="DIR",
    help="Folder for the state, from which a restart resumes.",
)
@click.option("--once", is_flag=True, help="Catch up, report, and stop.")
@click.option(
    "--every",
    type=common.WholeNumber(1, 3600),
    default=10,
    show_default=True,
    metavar="SECONDS",
    help="Seconds between checks.",
)
@click.option("--key", metavar="KEY", help="The log's public key, or the file that holds it.")
@common.witness_options("--witness-key")
@click.option(
    "--peer", "peers", multiple=True, metavar="URL", help="Address of another follower's --serve."
)
@click.option("--serve", metavar="HOST:PORT", help="Cosign the log as a witness (tlog-witness).")
@click.option("--bots", is_flag=True, help="Recompute every decision of every bot.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each check.")
def command(
    url: str,
    state: Path,
    once: bool,
    every: int,
    key: str | None,
    witnesses: tuple[str, ...],
    quorum: int | None,
    peers: tuple[str, ...],
    serve: str | None,
    bots: bool,
    as_json: bool,
) -> int:
    """Follow the log of the casino at URL: prove that it only grows, audit every game and cent.

    Exits with 1 if anything is wrong. A contradiction stops it at once and leaves
    both signed notes as proof in the folder of --state, under evidence.
    """
    common.refuse_conflicting("once", "serve", "every")
    folder, decide = MonitorFolder(state), decide_again if bots else None
    trusted = common.parse_witnesses(witnesses, quorum, "--witness-key")
    with ExitStack() as stack:
        remote, *others = [
            stack.enter_context(closing(TileClient(address_url, time.sleep)))
            for address_url in (log_address(url), *peers)
        ]
        before, log_key = folder.load(remote.address), None if key is None else read_key(key)
        follower = LogMonitor(remote, before, log_key, trusted, folder.keep_evidence, decide)
        # Two witnesses with one key could cosign two histories. The state may be an old one by now,
        # which only means that some leaves are checked again.
        stack.enter_context(folder.lock())
        reported = set(follower.audit.findings)
        watch = MonitorLoop(follower, folder, others, as_json, reported)
        if serve is not None:
            server = WitnessServer(
                folder,
                serve,
                lambda: follower.keys.newest,
                watch.is_clean,
                lambda: wall_ms() // 1000,
            )
            stack.enter_context(closing(server))
            click.echo(f"witness at {server.address}, key {server.key.public.text()}", err=True)
        return watch.once() if once else watch.run(every)


@dataclass
class MonitorLoop:
    """Polls a log monitor and its peers, reports findings, and saves the state."""

    follower: LogMonitor
    folder: MonitorFolder
    peers: list[TileClient]
    as_json: bool
    reported: set[Finding]
    verdict: str = ""

    def once(self) -> int:
        """Catch up, audit the log up to its current end, and return the exit status."""
        self._look()
        self.follower.audit.finish()
        self._say()
        return 0 if self.is_clean() else 1

    def run(self, every: int) -> int:
        """Poll every `every` seconds; return 1 when the log contradicts an earlier state."""
        while True:
            try:
                self._look()
                self._say()
            except UnreachableError as error:
                click.echo(f"casino: {escape_unprintable(str(error))}", err=True)
                self.verdict = ""
            if any(finding.check == CHECK for finding in self.follower.audit.findings):
                return 1
            time.sleep(every)

    def is_clean(self) -> bool:
        """Return True if no error has ever been found, even before a restart."""
        return all(finding.severity != "error" for finding in self.follower.audit.findings)

    def _look(self) -> None:
        former = self.follower.keys.newest
        self.follower.poll()
        newest = self.follower.keys.newest
        if newest != former and not self.as_json:
            text = f"the log has a new key, {newest.text()}, signed with the former one"
            click.echo(escape_unprintable(text))
        for peer in self.peers:
            path = f"{origin_hash(self.follower.keys.newest.name)}/checkpoint"
            try:
                note = peer.get(path).decode("utf-8", "replace")
            except UnreachableError:
                text = f"no follower of this log serves it at {peer.address}: check --peer"
                raise UnreachableError(text) from None
            self.follower.compare(peer.address, note)
        # Saved last: if the process dies earlier, these leaves are checked again.
        self.folder.save(self.follower.state())

    def _say(self) -> None:
        audit = self.follower.audit
        at = audit.order.at
        lag_seconds = max(0, wall_ms() - at) // 1000 if at else 0
        report = self.follower.report(lag_seconds)
        if self.as_json:
            click.echo(json.dumps(report))
            return
        warnings = (finding for finding in audit.totals() if finding.severity != "note")
        for finding in (*audit.findings, *warnings):
            if finding not in self.reported:
                self.reported.add(finding)
                self.verdict = ""
                click.echo(f"{finding.severity}: {finding}")
        clean = "CLEAN" if self.is_clean() else "NOT CLEAN"
        verdict = f"{clean}: {report['leaves']:,} leaves, {report['games']:,} games"
        # A log that stays the same needs no line at every check.
        if verdict == self.verdict:
            return
        self.verdict = verdict
        signed_by = (
            f"newest checkpoint {report['lag_seconds']} s old; "
            f"signed by {report['key']} (key from {report['key_from']})"
        )
        click.echo(f"{verdict}, {escape_unprintable(signed_by)}")


def log_address(url: str) -> str:
    """Return the URL of a casino's log; raise `InputError` if it is not an HTTP URL."""
    url = parse_casino_url(url)
    return f"{url}/" if url.endswith("/log") else f"{url}/log/"
