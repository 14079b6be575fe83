"""The deployment files: nginx in front of a real casino, systemd units, the guide."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import websocket
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from casino.config import load
from tests.test_package import run
from tests.web.processes import free_port, until
from tests.web.server import LONG_BETTING, Server, open_server

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
SYSTEMD = shutil.which("systemd-analyze")
NAME = "cards.example"
UNCHECKED = ssl._create_unverified_context()

needs_nginx = pytest.mark.skipif(not NGINX, reason="there is no nginx here: .ci/run installs it")
needs_systemd = pytest.mark.skipif(not SYSTEMD, reason="there is no systemd-analyze here")


def certify(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "fullchain.pem").write_bytes(certificate.public_bytes(pem))
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "privkey.pem").write_bytes(key.private_bytes(pem, *plain))


def site(folder: Path, upstream: str, http: int, https: int) -> str:
    """Return deploy/nginx.conf as an operator edits it, with the block for a path enabled."""
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    block = "\n".join(re.findall(r"^#   (location.*|    .*|\})$", text, re.MULTILINE))
    assert block.startswith("location /casino/ {")
    below = text.index("    location / {")
    text = text[:below] + block + "\n" + text[below:]
    for old, new in (
        ("127.0.0.1:5000", upstream),
        ("listen 80;", f"listen 127.0.0.1:{http};"),
        ("listen 443 ssl http2;", f"listen 127.0.0.1:{https} ssl http2;"),
        (f"/etc/letsencrypt/live/{NAME}/", f"{folder}/"),
        ("$host$request_uri", f"$host:{https}$request_uri"),
        ("/var/cache/casino-tiles", f"{folder}/tiles"),
    ):
        assert old in text
        text = text.replace(old, new)
    return re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)


@contextmanager
def nginx(folder: Path, config: str) -> Iterator[None]:
    paths = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "site.conf").write_text(config, "utf-8")
    (folder / "nginx.conf").write_text(
        f"daemon off;\npid {folder}/pid;\nerror_log stderr;\n"
        + ("user root;\n" if os.geteuid() == 0 else "")
        + f"events {{}}\nhttp {{\naccess_log off;\n{paths}include {folder}/site.conf;\n}}\n",
        "utf-8",
    )
    command = [str(NGINX), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    run(*command, "-t")
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield
    finally:
        running.terminate()
        running.communicate(timeout=30)


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int, int]]:
    folder = tmp_path_factory.mktemp("nginx")
    certify(folder)
    http, https = free_port(), free_port()
    web = {"trusted_proxies": ["127.0.0.1"]}
    slow = {"betting_ms": 3_000, "pace_ms": 60_000, "number": 0}
    tables = {"open": LONG_BETTING, "slow": slow}
    with open_server(folder / "casino.db", tables, web=web) as server:
        # A book with a sealed bet is signed when it is locked.
        ann = server.visitor("ann")
        ann.request("place_bet", table="slow", game=ann.game("slow"), bet_id="b", side="house",
                unit_cents=500, seal="0" * 64)  # fmt: skip
        upstream = server.url.removeprefix("http://")
        with nginx(folder, site(folder, upstream, http, https)):
            until(lambda: is_open(https))
            yield server, http, https


def is_open(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def asked(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    where = urlsplit(url)
    connection = HTTPConnection(where.netloc, timeout=30)
    if where.scheme == "https":
        connection = HTTPSConnection(where.netloc, timeout=30, context=UNCHECKED)
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    with closing(connection):
        path = where._replace(scheme="", netloc="").geturl()
        connection.request("GET", path, headers={"Host": NAME, **named})
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()


@needs_nginx
def test_http_redirects_to_https(proxied: tuple[Server, int, int]) -> None:
    _, http, https = proxied
    status, headers, _ = asked(f"http://127.0.0.1:{http}/rules?a=1")
    assert status == 301
    assert headers["Location"] == f"https://{NAME}:{https}/rules?a=1"


@needs_nginx
@pytest.mark.parametrize("below", ["", "/casino"])
def test_nginx_serves_pages_and_their_files(proxied: tuple[Server, int, int], below: str) -> None:
    url = f"https://127.0.0.1:{proxied[2]}"
    status, headers, body = asked(f"{url}{below}/")
    assert status == 200
    assert headers["Set-Cookie"].startswith("__Host-casino=")
    assert "Secure" in headers["Set-Cookie"]
    assert "max-age" in headers["Strict-Transport-Security"] or below
    linked = set(re.findall(rb'(?:href|src)="(/[^"#]*)"', body))
    assert len(linked) > 5
    for address in linked:
        assert address.startswith(below.encode())
        assert asked(url + address.decode())[0] == 200


@needs_nginx
@pytest.mark.parametrize("below", ["", "/casino"])
def test_nginx_passes_websockets_of_its_origin(
    proxied: tuple[Server, int, int], below: str
) -> None:
    url = f"wss://127.0.0.1:{proxied[2]}{below}/socket.io/?EIO=4&transport=websocket"
    options = {"cert_reqs": ssl.CERT_NONE}
    line = websocket.create_connection(
        url, sslopt=options, origin=f"https://{NAME}", host=NAME, timeout=30
    )
    line.recv()
    line.send("40")
    line.recv()
    line.send('421["join",{"table":"open"}]')
    assert '"ok":true' in str(line.recv())
    line.shutdown()  # type: ignore[no-untyped-call]
    with pytest.raises(websocket.WebSocketBadStatusException):
        websocket.create_connection(
            url, sslopt=options, origin="https://elsewhere.example", host=NAME, timeout=30
        )


@needs_nginx
def test_forged_forwarding_headers_do_no_harm(proxied: tuple[Server, int, int]) -> None:
    server, _, https = proxied
    url = f"https://127.0.0.1:{https}/healthz"
    status, headers, body = asked(url, X_Forwarded_For="6.6.6.6")
    assert (status, json.loads(body)["ok"]) == (200, True)
    assert re.fullmatch("[0-9a-f]{32}", headers["X-Request-ID"])
    assert server.metric("connections") >= 1
    assert asked(url, X_Forwarded_Host="evil.example")[0] == 200


@needs_nginx
def test_nginx_caches_log_tiles(proxied: tuple[Server, int, int]) -> None:
    url = f"https://127.0.0.1:{proxied[2]}/log"
    until(lambda: asked(f"{url}/checkpoint")[0] == 200)
    size = int(asked(f"{url}/checkpoint")[2].split()[1])

    def asked_as(path: str, **headers: str) -> str:
        status, said, _ = asked(f"{url}/{path}", **headers)
        assert status == 200
        return said["X-Request-ID"]

    entries = f"tile/entries/000.p/{size}"
    plain, packed = asked_as(entries), asked_as(entries, Accept_Encoding="gzip")
    assert plain != packed
    assert asked_as(entries) == asked_as(f"{entries}?x=1") == plain
    assert asked_as(entries, Accept_Encoding="gzip") == packed
    assert asked_as("checkpoint") != asked_as("checkpoint")
    assert asked(f"{url}/tile/entries/000.p/255")[0] == 404
    # Requests for pages are counted, those for tiles are not.
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    (limited,) = re.findall(r"location (\S+) \{\s+limit_req ", text)
    assert (limited, text.count("limit_req zone")) == ("/", 1)


@needs_nginx
def test_metrics_are_forbidden_to_others(proxied: tuple[Server, int, int], tmp_path: Path) -> None:
    certify(tmp_path)
    http, https = free_port(), free_port()
    strict = site(tmp_path, proxied[0].url.removeprefix("http://"), http, https)
    strict, number = re.subn(r"^ +allow .*;$", "", strict, flags=re.MULTILINE)
    assert number == 4
    with nginx(tmp_path, strict):
        until(lambda: is_open(https))
        for below in ("", "/casino"):
            assert asked(f"https://127.0.0.1:{https}{below}/healthz")[0] == 200
            assert asked(f"https://127.0.0.1:{https}{below}/metrics")[0] == 403


@needs_systemd
@pytest.mark.parametrize(
    "unit",
    ["casino.service", "casino-backup.service", "casino-house.service", "casino-web@.service"],
)
def test_systemd_units_are_valid(unit: str, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("casino")
    text = (DEPLOY / unit).read_text("utf-8").replace("/opt/casino/bin/casino", str(program))
    (tmp_path / unit).write_text(text, "utf-8")
    command = [str(SYSTEMD), "verify", "--man=no", str(tmp_path / unit)]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
    assert unit not in verified.stderr
    assert "LimitNOFILE=65536" in text or "backup" in unit


def test_documented_sed_command_sets_the_trusted_proxies(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "operate.md").read_text("utf-8")
    found = re.search(r"sed '(s/.*/)' config.toml", guide)
    assert found
    file = tmp_path / "config.toml"
    file.write_text(run("sed", found[1], ROOT / "config.toml").stdout, "utf-8")
    assert load(file, {}).web.trusted_proxies == ["127.0.0.1", "::1"]
