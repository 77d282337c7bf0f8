"""The package effspark; the folders jobs, schemas and conf, here beside it, lie inside it in the wheel."""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup

README = Path(__file__).with_name("README.md")

CORE = [
    "numpy>=1.26,<3",
    "pyarrow>=18",
    "narwhals",
    "pydantic>=2",
    "pyyaml",
    "typer",
    "rich",
    "msgspec",
    "zstandard",
    "bpe-openai",
    "simpleeval",
    "filelock",
]
SQL = ["deltalake", "duckdb"]
# Never in CORE: a wheel that installs pyspark over the one of Databricks breaks its runtime.
LOCAL = ["pyspark[connect]>=4.0.1,!=4.2.0,<4.3", "pandas>=2.2,<3", "delta-spark>=4.4,<4.5", *SQL]
DEV = [
    "hypothesis",
    "mypy",
    "pandas-stubs",
    "pytest",
    "pytest-timeout",
    "ruff",
    "types-PyYAML",
    "zipfile-zstd",
]
JOBS = ["ingest", "measure", "report"]
BESIDE = {"effspark.jobs": "jobs", "effspark.schemas": "schemas", "effspark.conf": "conf"}

setup(
    name="effspark",
    version="0.1.0",
    description="How efficiently language models reason, and why, from the logs of their evaluations",
    long_description=README.read_text(encoding="utf-8") if README.exists() else "",
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    license_files=["LICENSE"],
    python_requires=">=3.10,<3.13",
    packages=[*find_packages(include=["effspark", "effspark.*"]), *BESIDE],
    package_dir=BESIDE,
    package_data={
        "effspark": ["**/*.html", "**/*.css", "**/*.js", "**/*.json"],
        "effspark.schemas": ["**/*.json", "**/*.sql"],
        "effspark.conf": ["**/*.yaml", "**/*.properties"],
    },
    include_package_data=False,
    install_requires=CORE,
    extras_require={"sql": SQL, "local": LOCAL, "dev": DEV},
    entry_points={
        "console_scripts": [
            "effspark=effspark.cli:main",
            *(f"effspark-{job}=effspark.jobs.{job}:main" for job in JOBS),
        ]
    },
)
