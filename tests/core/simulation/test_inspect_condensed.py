from __future__ import annotations

from effspark.simulation.inspect_condensed import LONGEST_INLINE, condensed

LONG, SHORT = "y" * (LONGEST_INLINE + 1), "y" * LONGEST_INLINE


def test_long_texts_leave_events_and_come_back_by_name() -> None:
    events, attachments = condensed([{"event": "model", "output": {"choices": [LONG, SHORT, 7, None]}}])
    name, rest = events[0]["output"]["choices"][0], events[0]["output"]["choices"][1:]
    assert attachments[name.removeprefix("attachment://")] == LONG
    assert rest == [SHORT, 7, None]


def test_a_text_is_stored_once_however_often_it_occurs() -> None:
    _, attachments = condensed([{"a": LONG}, {"b": [LONG]}])
    assert list(attachments.values()) == [LONG]
