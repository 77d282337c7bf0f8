"""A Spark Connect server in a process of its own, for tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pyspark

from effspark.spark import jars
from effspark.spark.session import local_conf

MAIN = "org.apache.spark.sql.connect.service.SparkConnectServer"


@contextmanager
def connect_server(given: Mapping[str, str] | None = None) -> Iterator[str]:
    """Start a server, wait until it listens, and stop it afterwards; gives its `sc://` address.

    Parameters
    ----------
    given
        Its conf; that of the local session where null.
    """
    port = _free_port()
    home = Path(pyspark.__file__).parent
    conf = {
        **(local_conf() if given is None else given),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
    }
    with TemporaryDirectory(prefix="effspark-connect-") as work:
        conf["spark.sql.warehouse.dir"] = f"{work}/warehouse"
        command = [
            str(home / "bin" / "spark-submit"),
            "--class",
            MAIN,
            "--name",
            "connect",
            "--master",
            "local[2]",
        ]
        command += ["--jars", ",".join(map(str, jars.delta_jars()))]
        for name, value in conf.items():
            command += ["--conf", f"{name}={value}"]
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        with Path(work, "log").open("w") as log:
            server = subprocess.Popen(
                [*command, "spark-internal"],
                env=environment,
                cwd=work,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                _wait(server, port, Path(work, "log"))
                yield f"sc://127.0.0.1:{port}"
            finally:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and server.poll() is None:
        with closing(socket.socket()) as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise RuntimeError(f"the Connect server did not start: {log.read_text()[-2000:]}")
