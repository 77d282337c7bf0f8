"""What a reader raises is one kind of error, with the reader, the exception and its place."""

from __future__ import annotations

import pytest

from effspark.errors import LogError, SettingsError
from effspark.readers.crashes import READER_FAILED, crashes, shown


@pytest.mark.parametrize("error", [ValueError("far\n too long"), StopIteration(), RecursionError("deep")])
def test_an_exception_names_reader_file_and_place(error: Exception) -> None:
    with pytest.raises(LogError) as caught, crashes("acme", "a.log"):
        raise error
    assert caught.value.reason == READER_FAILED
    told = str(caught.value)
    assert told.startswith(
        f"a reader failed (acme, reading a.log): found {shown(error)} (test_crashes.py, line "
    )


@pytest.mark.parametrize(
    "error", [LogError("cut"), SettingsError("no filter"), MemoryError(), KeyboardInterrupt()]
)
def test_what_is_no_failure_of_the_reader_passes_through(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught, crashes("acme", "a.log"):
        raise error
    assert caught.value is error


def test_a_long_message_is_cut_and_stands_on_one_line() -> None:
    assert shown(ValueError("x\n" * 400)) == "ValueError: " + ("x " * 150)
