"""What is said on stderr, on a terminal and elsewhere."""

from __future__ import annotations

import pytest

from effspark import messages

Capture = pytest.CaptureFixture[str]


def test_after_ten_warnings_the_rest_is_counted(capsys: Capture) -> None:
    messages.warn([f"w{place}" for place in range(12)], "look there")
    told = capsys.readouterr().err.splitlines()
    assert told[9:] == ["warning: w9", "warning: … and 2 more; look there"]
    messages.warn(["one"], "look there")
    assert capsys.readouterr().err == "warning: one\n"


def test_what_is_being_done_is_one_line_on_stderr_outside_of_a_terminal(capsys: Capture) -> None:
    with messages.working("ingest: 2 files into [lake]"):
        assert capsys.readouterr() == ("", "ingest: 2 files into [lake]\n")
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_it_is_gone_when_done(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    for name, value in {"COLUMNS": "80", "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    with messages.working("ingest: 2 files"):
        pass
    out, err = capsys.readouterr()
    assert out == ""
    assert "ingest: 2 files" in err
    assert err.endswith("\x1b[2K")
