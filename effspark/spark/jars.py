"""Which JAR files does a local Spark need for Delta tables, and where do they lie?

A local Spark session takes the two JARs that pyspark lacks from one folder: `EFFSPARK_JARS`, else
`~/.cache/effspark/jars/<Delta version>`. What is missing or damaged there is fetched with the Ivy that
pyspark ships, from Maven Central or from the mirror named by `EFFSPARK_MAVEN_ROOT`, checked against the pins
below, and moved into place file by file: a killed download leaves nothing behind that looks finished.

Ivy runs with settings and a cache of its own: Spark's `spark.jars.packages` also trusts `~/.m2`, and fails
when that holds the POM of a JAR without the JAR.

It does not serve object stores (`hadoop-aws` and the like) and is not used on Databricks, where Delta is
built in. `python -m effspark.spark.jars` checks Java, fetches the JARs and prints their folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import quoteattr

from effspark.errors import LakeError, problem

DELTA_VERSION = "4.4.0"
JAVA_RELEASES = ("17", "21")
JDK_REMEDY = "install a JDK (Debian: apt-get install openjdk-17-jdk-headless) or set JAVA_HOME to one"

# sha256 of io.delta:delta-spark_<Spark minor>_2.13 and of io.delta:delta-storage. The other dependencies in
# their POMs ship with pyspark or serve only Unity Catalog and the Kernel reader.
SPARK_PINS: Mapping[str, str] = {
    "4.0": "49e899667168b9412f83cbe894ce264107d7b896d6c5e12edca4e216845c1104",
    "4.1": "75a9400986853c061f5109f012547de2545a5759e5e752e5ef633dabe16a4f10",
    "4.2": "27d4fd8b1f879535c573ed1c718177d6a27f24d3e626ba02e216369725721ead",
}
STORAGE_PIN = "c46735481fa8e326b0957be02b4420cbcab4b325bb08009b7f2045a95133f1cc"

IVY_SETTINGS = """<ivysettings>
  <settings defaultResolver="maven"/><caches defaultCacheDir={cache}/>
  <timeout-constraints>
    <timeout-constraint name="patient" connectionTimeout="30000" readTimeout="60000"/>
  </timeout-constraints>
  <resolvers>
    <ibiblio name="maven" m2compatible="true" usepoms="false" timeoutConstraint="patient"{root}/>
  </resolvers>
</ivysettings>
"""
IVY_MODULE = """<ivy-module version="2.0">
  <info organisation="effspark" module="jars"/><dependencies>{rows}</dependencies>
</ivy-module>
"""
IVY_REASONS = ("error at url", "invalid ", "Host ", "not found")


def pinned_jars(spark_version: str) -> dict[str, str]:
    """Names and sha256 of the JARs for one Spark version.

    Raises
    ------
    LakeError
        No Delta JAR is pinned for this Spark.

    >>> list(pinned_jars("4.1.4"))
    ['delta-spark_4.1_2.13-4.4.0.jar', 'delta-storage-4.4.0.jar']
    """
    minor = ".".join(spark_version.split(".")[:2])
    if minor not in SPARK_PINS:
        text = problem(
            "no Delta JAR for this Spark",
            where="package pyspark",
            found=spark_version,
            allowed=", ".join(f"{known}.x" for known in SPARK_PINS),
            remedy="install effspark[local] with its constraints.txt",
        )
        raise LakeError(text)
    return {
        f"delta-spark_{minor}_2.13-{DELTA_VERSION}.jar": SPARK_PINS[minor],
        f"delta-storage-{DELTA_VERSION}.jar": STORAGE_PIN,
    }


def jar_folder() -> Path:
    """Folder of the JARs: `EFFSPARK_JARS`, else one in the user's cache; it need not exist yet."""
    chosen = os.environ.get("EFFSPARK_JARS")
    return Path(chosen).absolute() if chosen else Path.home() / ".cache" / "effspark" / "jars" / DELTA_VERSION


def delta_jars() -> list[Path]:
    """Paths of the JARs to put on Spark's class path; fetches those that are missing or damaged.

    Raises
    ------
    LakeError
        pyspark or Java is missing, the folder cannot be written, or the download fails or differs from its
        pin.
    """
    pins = pinned_jars(_pyspark_version())
    folder = jar_folder()
    wanted = {name: pin for name, pin in pins.items() if _sha256(folder / name) != pin}
    if wanted:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(prefix=".fetch-", dir=folder) as work:
                for jar in _download(wanted, work=Path(work)):
                    jar.replace(folder / jar.name)
        except OSError as error:
            text = problem(
                "cannot store the Delta JARs",
                where=str(folder),
                found=str(error),
                allowed="a folder that can be written",
                remedy="set EFFSPARK_JARS to one",
            )
            raise LakeError(text) from error
    return [folder / name for name in pins]


def java_home_or_raise() -> Path:
    """Home of the Java that Spark will use: `JAVA_HOME`, else the `java` on the PATH.

    Raises
    ------
    LakeError
        There is none, or Spark does not run on it.
    """
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    where = f"JAVA_HOME={home}" if home else "PATH"
    if java is None or not os.access(java, os.X_OK):
        raise LakeError(_java_problem(where, "no java"))
    command = [java, "-XshowSettings:properties", "-version"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    settings = java_settings(done.stderr)
    release = settings.get("java.specification.version", f"no version from {java}")
    if release not in JAVA_RELEASES:
        raise LakeError(_java_problem(where, f"Java {release}"))
    return Path(settings["java.home"])


def java_settings(text: str) -> dict[str, str]:
    r"""Properties that `java -XshowSettings:properties` printed.

    >>> java_settings('Property settings:\n    java.home = /opt/jdk\n    java.specification.version = 17\n')
    {'java.home': '/opt/jdk', 'java.specification.version': '17'}
    """
    pairs = (line.partition(" = ") for line in text.splitlines())
    return {key.strip(): value.strip() for key, equals, value in pairs if equals}


def main() -> int:
    """Check Java, fetch the missing JARs, print their folder; 1 with a message when that is not possible."""
    try:
        java_home_or_raise()
        jars = delta_jars()
    except LakeError as error:
        print(error, file=sys.stderr)
        return 1
    print(jars[0].parent)
    return 0


def _java_problem(where: str, found: str) -> str:
    allowed = f"Java {' or '.join(JAVA_RELEASES)}"
    return problem("Spark needs Java", where=where, found=found, allowed=allowed, remedy=JDK_REMEDY)


def _pyspark_version() -> str:
    try:
        return metadata.version("pyspark")
    except metadata.PackageNotFoundError as error:
        raise LakeError(_pyspark_problem("none")) from error


def _pyspark_problem(found: str) -> str:
    return problem(
        "local lakes need Spark",
        where="package pyspark",
        found=found,
        allowed="pyspark with its JARs",
        remedy="pip install 'effspark[local]'",
    )


def _ivy_jar() -> Path:
    spec = util.find_spec("pyspark")
    folders = (spec.submodule_search_locations if spec else None) or []
    found = [jar for folder in folders for jar in sorted(Path(folder, "jars").glob("ivy-*.jar"))]
    if not found:
        raise LakeError(_pyspark_problem("no ivy-*.jar in its folder jars"))
    return found[0]


def _sha256(jar: Path) -> str:
    return hashlib.sha256(jar.read_bytes()).hexdigest() if jar.is_file() else "none"


def _download(wanted: Mapping[str, str], *, work: Path) -> list[Path]:
    """Fetch the wanted JARs below `work` and check them; a second try forgives a broken connection."""
    command = [str(java_home_or_raise() / "bin" / "java"), *_ivy_arguments(list(wanted), work=work)]
    for last in (False, True):
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode == 0:
            break
        if last:
            raise LakeError(_download_problem(list(wanted), _ivy_reason(done.stdout + done.stderr)))
    jars = [work / "jars" / name for name in wanted]
    wrong = [f"{jar.name} with sha256 {_sha256(jar)}" for jar in jars if _sha256(jar) != wanted[jar.name]]
    if wrong:
        raise LakeError(_download_problem(list(wanted), ", ".join(wrong)))
    return jars


def _ivy_arguments(names: list[str], *, work: Path) -> list[str]:
    root = os.environ.get("EFFSPARK_MAVEN_ROOT")
    cache = quoteattr(str(work / "cache"))
    settings = IVY_SETTINGS.format(cache=cache, root=f" root={quoteattr(root)}" if root else "")
    artefacts = (name.removesuffix(f"-{DELTA_VERSION}.jar") for name in names)
    rows = "".join(f'<dependency org="io.delta" name="{name}" rev="{DELTA_VERSION}"/>' for name in artefacts)
    module = IVY_MODULE.format(rows=rows)
    (work / "settings.xml").write_text(settings, encoding="utf-8")
    (work / "ivy.xml").write_text(module, encoding="utf-8")
    pattern = str(work / "jars" / "[artifact]-[revision].[ext]")
    files = ["-settings", str(work / "settings.xml"), "-ivy", str(work / "ivy.xml"), "-retrieve", pattern]
    return [f"-Duser.home={work}", "-cp", str(_ivy_jar()), "org.apache.ivy.Main", *files]


def _ivy_reason(output: str) -> str:
    """The line of Ivy's report that says most about the cause; its last line if none does."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = [line for mark in IVY_REASONS for line in lines if mark in line]
    return [*telling, *lines[-1:], "no output"][0]


def _download_problem(names: list[str], found: str) -> str:
    return problem(
        "cannot fetch the Delta JARs",
        where=os.environ.get("EFFSPARK_MAVEN_ROOT", "Maven Central"),
        found=found,
        allowed=f"{', '.join(names)} with the pinned sha256",
        remedy=f"set EFFSPARK_MAVEN_ROOT to a mirror, or put these files into {jar_folder()}",
    )


if __name__ == "__main__":
    sys.exit(main())
