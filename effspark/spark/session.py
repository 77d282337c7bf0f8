"""Which Spark? The one session factory of every job.

    Databricks session  ->  SPARK_REMOTE (Connect)  ->  active session (spark-submit, notebook)  ->  local builder

Only the local builder sets confs and JARs; the others belong to whoever runs them. Source: architecture.md section 5.1.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from effspark.errors import LakeError
from effspark.resources import folder
from effspark.spark import jars

DELTA_CONF = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.databricks.delta.snapshotPartitions": "2",
}
"""What any Spark needs to hold a lake; a Connect server of one's own must be started with these."""

LOCAL_CONF = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "1",
    "spark.databricks.delta.writeChecksumFile.enabled": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "1000",
}


JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC"
"""An embedded lake is small: compiling queries and methods, helper threads of the garbage collector and many tasks
cost more CPU than they save (docs/decisions/small-local-session.md)."""


def local_conf() -> dict[str, str]:
    """Conf of a Spark of one's own; EFFSPARK_JAVA_OPTIONS replaces the JVM's options, say for hours of work.

    >>> local_conf()["spark.sql.session.timeZone"]
    'UTC'
    """
    options = os.environ.get("EFFSPARK_JAVA_OPTIONS", JAVA_OPTIONS)
    logging = f"'-Dlog4j2.configurationFile={(folder('conf') / 'log4j2.properties').as_uri()}'"
    return {**DELTA_CONF, **LOCAL_CONF, "spark.driver.extraJavaOptions": f"{options} {logging}"}


def session(app: str = "effspark") -> SparkSession:
    """The session to work in: found where there is one, else built locally.

    Raises
    ------
    LakeError
        No JDK or no Delta JARs for a local session.
    """
    if "DATABRICKS_RUNTIME_VERSION" in os.environ or "PYSPARK_GATEWAY_PORT" in os.environ:
        return SparkSession.builder.appName(app).getOrCreate()
    if remote := os.environ.get("SPARK_REMOTE"):
        return SparkSession.builder.remote(remote).getOrCreate()
    active = SparkSession.getActiveSession()
    return active if active is not None else _local(app)


def _local(app: str) -> SparkSession:
    jars.java_home_or_raise()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    scratch = Path(tempfile.gettempdir()) / f"effspark-{os.getuid()}"
    scratch.mkdir(exist_ok=True)
    conf = {
        **local_conf(),
        "spark.jars": ",".join(map(str, jars.delta_jars())),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.local.dir": str(scratch),
    }
    master = os.environ.get("EFFSPARK_MASTER", "local[*]")
    try:
        with _interrupts_wait() as wait:
            SparkContext.getOrCreate(SparkConf().setAppName(app).setMaster(master).setAll(list(conf.items())))
            wait()
            return SparkSession.builder.getOrCreate()
    except RuntimeError as error:
        raise LakeError(
            f"Spark cannot start: found {error}; allowed: a working JDK 17 or 21; see `java -version`"
        ) from error


@contextmanager
def _interrupts_wait() -> Iterator[Callable[[], None]]:
    """Let Ctrl-C take effect at the end: in the middle it would leave a JVM behind that nobody stops.

    Yields what puts this in force again: a Spark context sets a handler of its own, which talks to the JVM in the
    middle of a call and fails with a stack of errors, so it is not kept either.
    """
    pressed: list[int] = []

    def press(number: int, _: object) -> None:
        sys.stderr.write("effspark: Java is starting; it is stopped as soon as it is up\n")
        pressed.append(number)

    def wait() -> None:
        if is_heard:
            signal.signal(signal.SIGINT, press)

    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    is_heard = is_main and before not in (signal.SIG_IGN, None)
    wait()
    try:
        yield wait
    finally:
        if is_main and before is not None:
            signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
