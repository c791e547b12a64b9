"""Redis Streams as a source and a sink, against a server of this test's own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import redis

from shoal.engine.stream.redis_streams import RedisSink, RedisSource
from shoal.engine.stream.service import Service, where
from shoal.errors import DataError, PlanError
from tests.engine.stream_oracle import Asked, faults, ordered
from tests.engine.victim import plan

if shutil.which("redis-server") is None and not os.environ.get("CI"):
    pytest.skip("there is no redis-server: apt-get install redis-server", allow_module_level=True)

ASKED = Asked(120, 30, 3, 0.3, ordered(range(1, 6)))
TOML = """
person = "row"
allow_unique = ["row"]
[columns]
x = { role = "quasi-identifying", top = 1000 }
y = "quasi-identifying"
s = { role = "sensitive", domain = { bottom = 1, top = 5 } }
row = "insensitive"
[require]
k = 3
t = { s = 0.3 }
[method]
ties = "relaxed"
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    home = tmp_path_factory.mktemp("redis")
    command = ["redis-server", "--port", str(number), "--dir", str(home), "--save", "", "--appendonly", "no"]
    with subprocess.Popen([*command, "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL) as server:
        client = redis.Redis(port=number)
        for _ in range(200):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        yield number
        server.terminate()


@pytest.fixture
def client(port: int) -> Iterator[Any]:
    held = redis.Redis(port=port, decode_responses=True)
    held.flushall()
    yield held
    held.close()


def _records(count: int) -> list[dict[str, Any]]:
    chance = np.random.default_rng(3)
    return [
        {"row": row, "x": int(chance.integers(0, 50)), "y": str(chance.choice(["a", "b"])), "s": 1 + row % 5}
        for row in range(count)
    ]


def _add(client: Any, records: list[dict[str, Any]]) -> None:
    together = client.pipeline()
    for record in records:
        together.xadd("visits", record)
    together.execute()


def _rows(client: Any) -> list[dict[str, Any]]:
    return [
        {name: value if name in ("y", "x_missing") else int(value) for name, value in fields.items()}
        for _, fields in client.xrange("public")
    ]


def _serve(port: int, state: Path, *, aside: Path | None = None) -> None:
    source = RedisSource(f"redis://127.0.0.1:{port}/0?key=visits&idle=0.2", plan())
    service = Service(plan(), window=120, advance=30, form="jsonl", state=state, dead_letters=aside)
    service.run(source, RedisSink(f"redis://127.0.0.1:{port}/0?key=public"))


def test_from_a_stream_to_a_stream(port: int, client: Any, tmp_path: Path) -> None:
    records = _records(500)
    _add(client, records)
    _serve(port, tmp_path / "state")
    assert len(_rows(client)) == 500
    assert not faults(_rows(client), records, ASKED)
    assert client.xpending("visits", "shoal")["pending"] == 0


def test_what_is_no_record_is_put_aside(port: int, client: Any, tmp_path: Path) -> None:
    records = _records(200)
    _add(client, records[:100])
    client.xadd("visits", {"name": "somebody"})
    client.xadd("visits", {"x": b"\xff"})
    client.xadd("visits", {"x": 1, "s": 17})
    _add(client, records[100:])
    _serve(port, tmp_path / "state", aside=tmp_path / "dead")
    assert not faults(_rows(client), records, ASKED)
    assert len((tmp_path / "dead").read_text().splitlines()) == 3


def test_entries_are_acknowledged_when_they_are_persisted(port: int, client: Any, tmp_path: Path) -> None:
    """A killed service goes on with what it was given, and no batch is in the sink twice."""
    records = _records(900)
    _add(client, records)
    toml = tmp_path / "plan.toml"
    toml.write_text(TOML)
    ends = ["--from", f"redis://127.0.0.1:{port}/0?key=visits", "--to", f"redis://127.0.0.1:{port}/0?key=public"]
    command = [sys.executable, "-m", "shoal", "stream", str(toml), "--window", "120", "--advance", "30", *ends]
    command += ["--state", str(tmp_path / "state")]
    for wanted in (2, 12, 22):  # killed as soon as so many batches are there
        with subprocess.Popen(command) as process:
            while int(client.get("public:batch") or 0) < wanted:
                assert process.poll() is None
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        held = client.xpending("visits", "shoal")["pending"] + client.xinfo_groups("visits")[0]["lag"]
        persisted = len(client.xrange("visits", max=str(where(tmp_path / "state"))))
        assert 900 - held <= persisted, "entries were acknowledged that are in no state"
    with subprocess.Popen([part.replace("key=visits", "key=visits&idle=1") for part in command]) as process:
        assert process.wait(60) == 0
    assert len(_rows(client)) == 900
    assert not faults(_rows(client), records, ASKED)
    assert client.xpending("visits", "shoal")["pending"] == 0


def test_a_batch_that_comes_again_is_known(port: int, client: Any) -> None:
    sink = RedisSink(f"redis://127.0.0.1:{port}/0?key=public")
    for number in (1, 1, 2, 1, 2):
        sink.emit(number, b'{"batch":%d,"y":null,"z":true}\n' % number)
    assert [fields for _, fields in client.xrange("public")] == [{"batch": n, "z": "true"} for n in ("1", "2")]
    assert sink.acknowledged() == 2


def test_mistakes_are_told_without_what_is_in_the_server(port: int, client: Any) -> None:
    with pytest.raises(PlanError, match="expected a URL"):
        RedisSource(f"redis://127.0.0.1:{port}/0", plan())
    with pytest.raises(PlanError, match="expected a URL"):
        RedisSink(f"redis://127.0.0.1:{port}/0?key=a&group=b")
    client.set("visits", "somebody")
    with pytest.raises(DataError, match="does not answer as expected") as caught:
        RedisSource(f"redis://127.0.0.1:{port}/0?key=visits", plan()).begin()
    assert "somebody" not in caught.value.message
    with pytest.raises(DataError, match="ConnectionError"):
        RedisSource("redis://127.0.0.1:1/0?key=visits", plan()).begin()
