"""Which option of an item is the right one, and how is it told as one text?

    options + letter, text or place of the right one  ->  {"answer": "B", "options": {"A": "red", "B": "blue"}}

The right answer stays one text wherever it is stored: this JSON where the options are known, so that an answer
given by the text of an option can be judged, else the letter alone. Options are lettered in their order, A to J.
Letters may be small, in brackets or with a point; numbers and booleans are options by their JSON text. A capital
outranks a text: where an option's text is itself a letter, "A" is the first option; other spellings of a letter give
way to a text. Letter and place that name different options name none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from effspark.runs import checks

LETTERS = "ABCDEFGHIJ"
Options = Mapping[str, str]
"""Texts by letter."""
_LETTER = re.compile(r"[\s(\[{]*([A-Ja-j])[\s)\]}.:]*")


def right_option(item: Mapping[str, Any]) -> tuple[str, dict[str, str]] | None:
    """Letter and options of an item; null where it names no option, or more than one.

    Parameters
    ----------
    item
        `options` or `choices` (a list, or texts by letter), and `answer` (a letter, the text or value of an option,
        or its place from 0), `answer_index` (the place) or both.

    >>> right_option({"options": ["red", "blue"], "answer": "blue"})
    ('B', {'A': 'red', 'B': 'blue'})
    >>> right_option({"options": {"a": 1.5, "b": True}, "answer": "(b)"})
    ('B', {'A': '1.5', 'B': 'true'})
    >>> right_option({"options": ["red", "blue"], "answer": "A", "answer_index": 1}) is None
    True
    """
    options = _lettered(item.get("options", item.get("choices")))
    if options is None:
        return None
    readings = {"answer": _by_answer, "answer_index": _by_place}
    letters = {read(item[name], options) for name, read in readings.items() if item.get(name) is not None}
    letter = letters.pop() if len(letters) == 1 else None
    return None if letter is None else (letter, options)


def told(letter: str, options: Options) -> str:
    """The right answer as one text.

    >>> told("B", {"A": "red", "B": "blue"}), told("B", {})
    ('{"answer": "B", "options": {"A": "red", "B": "blue"}}', 'B')
    """
    return json.dumps({"answer": letter, "options": options}, ensure_ascii=False) if options else letter


def of_log(options: Any, *, index: int) -> str | None:
    """The right answer of an item as a log shows it, as one text; null where its options are not worth telling.

    That is so where there are fewer than two, where the right one cannot be told, and where they are bare letters.

    >>> of_log(["red", "blue"], index=1)
    '{"answer": "B", "options": {"A": "red", "B": "blue"}}'
    >>> of_log(["A", "B"], index=1) is None, of_log(["18"], index=0) is None
    (True, True)
    """
    found = right_option({"options": options, "answer_index": index})
    if found is None or len(found[1]) < 2:
        return None
    return None if all(_letter(text) for text in found[1].values()) else told(*found)


def text_of_right(gold: str) -> str:
    """The right answer for a rule that knows no options: the text of the right one, or the answer as it is.

    >>> text_of_right('{"answer": "B", "options": {"A": "True", "B": "False"}}'), text_of_right("#### 18")
    ('False', '#### 18')
    """
    item = item_of(gold)
    found = None if item is None else right_option(item)
    return gold if found is None else found[1][found[0]]


def item_of(gold: str) -> dict[str, Any] | None:
    """The JSON object that a text is, null where it is none.

    >>> item_of('{"answer": "B"}'), item_of("B")
    ({'answer': 'B'}, None)
    """
    item = parsed(gold)
    return item if isinstance(item, dict) else None


def parsed(text: str) -> Any:
    """JSON object or list that a text is, else the text itself.

    >>> parsed('["red", "blue"]'), parsed("[red")
    (['red', 'blue'], '[red')
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON: a text that begins with a bracket
        return text


def plain(text: str) -> str:
    """A text without case, markup, outer punctuation and repeated space.

    >>> plain(" **Gross  error**. ")
    'gross error'
    """
    bare = text.replace("**", "").replace("__", "").translate(_MARKUP)
    return " ".join(bare.casefold().split()).strip(" .,;:!\"'")


_MARKUP = str.maketrans("", "", "`$")


def _lettered(options: Any) -> dict[str, str] | None:
    if isinstance(options, list) and len(options) <= len(LETTERS):
        options = dict(zip(LETTERS, options, strict=False))
    if not isinstance(options, Mapping) or not options:
        return None
    texts = {_letter(name): _text(value) for name, value in options.items()}
    found = {letter: text for letter, text in texts.items() if letter is not None and text is not None}
    return found if len(found) == len(options) else None


def _letter(name: Any) -> str | None:
    """Letter that a text is, as a capital; null where it is more."""
    found = _LETTER.fullmatch(name) if isinstance(name, str) else None
    return None if found is None else found[1].upper()


def _text(value: Any) -> str | None:
    """Text of an option; null where it is neither a text nor a number or boolean."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, bool) or checks.finite(value) is not None else None


def _by_place(place: Any, options: Options) -> str | None:
    if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(options):
        return None
    return list(options)[place]


def _by_answer(answer: Any, options: Options) -> str | None:
    text, place = _text(answer), _by_place(answer, options)
    if text is None or text in options:
        return text
    letters = [letter for letter, option in options.items() if plain(option) == plain(text)]
    if letters:
        return letters[0] if len(letters) == 1 and place is None else None  # place or text? Nothing tells
    letter = _letter(text)
    return place if letter is None else letter if letter in options else None
