"""`casino top`: show the metrics of a running casino, read from its `/metrics`."""

from __future__ import annotations

import time
from typing import Final, TypeAlias

import click
from prometheus_client.parser import text_string_to_metric_families

from casino.cli.common import WholeNumber, config_checked, url_argument
from casino.client import not_a_casino
from casino.client.client import CasinoClient

_OF_A_HOUSE: Final = {"casino_takes_bets", "casino_audit_findings"}
Labels: TypeAlias = tuple[tuple[str, str], ...]
Samples: TypeAlias = dict[str, dict[Labels, float]]


@click.command(epilog="Example: casino top http://127.0.0.1:5000")
@url_argument
@click.option(
    "--every", type=WholeNumber(1, 3600), default=2, metavar="S", help="Seconds between updates."
)
@click.option("--once", is_flag=True, help="Print the totals since the start, and exit.")
@config_checked
def command(url: str, every: int, once: bool) -> None:
    """Show how busy a casino is: people, bets, the speed of the ledger, and refusals."""
    seen = fetch(url)
    if once:
        click.echo(render(seen, {}, 1))
        return
    while True:
        time.sleep(every)
        seen, before = fetch(url), seen
        click.clear()
        click.echo(f"{time.strftime('%H:%M:%S')}\n{render(seen, before, every)}")


def fetch(url: str) -> Samples:
    """Fetch a casino's metrics; raise `InputError` if it does not serve any."""
    try:
        return parse_samples(CasinoClient(url).read("/metrics").decode())
    except ValueError:
        raise not_a_casino(url) from None


def parse_samples(text: str) -> Samples:
    r"""Parse Prometheus text into values by metric name and labels.

    >>> parse_samples('# HELP a b\ncasino_bets_total{table="t1"} 3.0\n')
    {'casino_bets_total': {(('table', 't1'),): 3.0}}
    """
    samples: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples.setdefault(sample.name, {})[tuple(sample.labels.items())] = sample.value
    return samples


def render(seen: Samples, before: Samples, seconds: float) -> str:
    """Format the metrics as rates since the previous sample, or as totals without one."""
    a, per, places = ("a second", seconds, 2) if before else ("in all", 1, 0)

    def rate(name: str) -> float:
        return (_sum(seen, name) - _sum(before, name)) / per

    def middle(name: str) -> str:
        count = rate(f"{name}_count")
        return f"{rate(f'{name}_sum') / count * 1000:.1f} ms" if count else "-"

    lines = [
        f"signed in {_sum(seen, 'casino_people'):.0f}   sockets {_sum(seen, 'casino_lines'):.0f}"
        f"   connections {_sum(seen, 'casino_connections'):.0f}"
        f"   memory {_sum(seen, 'process_resident_memory_bytes') / 2**20:.0f} MiB"
        f"   descriptors {_sum(seen, 'process_open_fds'):.0f}",
        f"{a}: bets {rate('casino_bets_total'):.{places}f}"
        f"   games {rate('casino_games_total'):.{places}f}"
        f"   requests {rate('casino_requests_total'):.{places}f}"
        f"   processor {rate('process_cpu_seconds_total'):.2f} s",
        f"mean: commit {middle('casino_commit_seconds')}   answer {middle('casino_answer_seconds')}"
        f"   send {middle('casino_event_lag_seconds')}"
        f"   queue {_sum(seen, 'casino_queue_length'):.0f}",
    ]
    if _OF_A_HOUSE & seen.keys():
        taken = "" if _sum(seen, "casino_takes_bets") else "NOT "
        lines.append(f"bets are {taken}taken   {_audit(seen)}")
    refused = _named(seen.get("casino_refusals_total", {}))
    lines += [f"refused {code}: {count:.0f}" for code, count in sorted(refused.items())]
    watching = _named(seen.get("casino_watching", {}))
    lines += [f"table {table}: {count:.0f} watching" for table, count in sorted(watching.items())]
    return "\n".join(lines)


def _audit(seen: Samples) -> str:
    if "casino_audit_findings" not in seen:
        return "not audited yet"
    findings = _sum(seen, "casino_audit_findings")
    if findings < 0:
        return "the last audit FAILED: see the log"
    return f"the last audit has {findings:.0f} FINDINGS" if findings else "the last audit is clean"


def _sum(seen: Samples, name: str) -> float:
    return sum(seen.get(name, {}).values())


def _named(samples: dict[Labels, float]) -> dict[str, float]:
    return {" ".join(value for _, value in labels): figure for labels, figure in samples.items()}
