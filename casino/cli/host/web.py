"""`casino web`: serve pages and sockets for a casino that runs in another process."""

from __future__ import annotations

import click

from casino import fairness
from casino.cli import common
from casino.cli.host.run import announce, exit_on_sigterm
from casino.clock import wall_ms
from casino.config import Config
from casino.logging_setup import logging_to_stderr


@click.command(epilog="Example: casino web --port 5010")
@common.config_option
@common.address_options
def command(config: Config, host: str | None, port: int | None) -> None:
    """Serve pages and sockets for a casino behind Redis (casino run --house-only).

    Waits until the casino answers, and prints the address when it is ready. There may be many such
    processes; they hold no secret, and may start and stop while people play.
    """
    import gevent  # only here: --help needs none of it

    from casino.table.runtime.gc_schedule import scheduled_gc
    from casino.web.app import worker_server

    if not config.scale.redis_url:
        raise click.UsageError("set [scale] redis_url to the house's Redis.")
    interrupted: list[bool] = []
    address = host or config.web.host, config.web.port if port is None else port
    # Otherwise gevent prints a Ctrl-C during the wait as an error.
    gevent.get_hub().NOT_ERROR += (KeyboardInterrupt,)
    click.echo("Waiting for the casino to answer over Redis; press Ctrl-C to stop.", err=True)
    exit_on_sigterm()
    with (
        logging_to_stderr(config.log),
        scheduled_gc(),
        worker_server(config, address, fairness.fresh_seed, wall_ms) as server,
    ):
        announce("casino", interrupted, server.url, server.stop)
        server.serve_forever()
    if interrupted:
        click.echo("The pages are closed.", err=True)
