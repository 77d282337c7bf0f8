r"""GSM8K: is the number that a text gives as its answer the gold number?

    gold = the number after `####` (or after `#`, or alone);  correct <=> answer = gold, as exact fractions

The declared rule. The answer stands in the first of these places that the text has:

1. the field `answer` of its JSON object, or the last such field where the object is broken (answers.py);
2. what stands after its last `####`, if that holds a number;
3. its last `\boxed{}`, if that holds a number;
4. its last number.

In 1 to 3 the first number after the last `=` counts, else the first before it. A field without a number is
an answer without a number: the rest of the text is not searched.

Numbers may carry a sign, a currency, thousands separators, decimals, an exponent, a fraction, a unit or a
percent sign. Fractions are 3/4, 1 1/2, `\frac{3}{4}` and signs such as that for a half. Thousands are separated
by commas, `{,}`, apostrophes and hard spaces, never by plain ones ("5 100 g bags" are 5). Units change nothing
("3 hours" is 3, "20%" is 20, "2:00 pm" is 2), nor do words ("2 million" is 2); -5 is not 5. Several numbers
without `=` are judged by the first ("27 selfies and 18 portraits" is 27). A half-written text is judged by its
last number all the same: whether the run was cut is decided elsewhere, and a cut run is no success.

>>> for text in ('{"answer": "$1,234.00"}', '{"answer": "4 * 5 = 20%"}', "so 3/4 of it", "#### 7", "none"):
...     print(BENCHMARK.score(text, "20"))
Scored(extracted='1234.00', correct=False)
Scored(extracted='20', correct=True)
Scored(extracted='3/4', correct=False)
Scored(extracted='7', correct=False)
Scored(extracted=None, correct=False)

Does not judge the reasoning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from unicodedata import normalize

from effspark.benchmarks import Scored, turns
from effspark.benchmarks.answers import field_in
from effspark.errors import LogError, problem

_NUMBER = re.compile(
    r"(?P<minus>(?<![\w)\]}%.])[-−])?"  # a minus, not the hyphen of 3-4 or the operator of (2)-1
    r"(?:(?:\\?\$|[€£¥₹])(?P<inner>[-−])?)?"
    r"(?P<number>(?:(?:(?<![\d.])\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|(?<!\w)\.\d+)(?:[eE][+-]?\d{1,2}(?!\w))?)"
    r"(?:[ ](?P<top>\d+)/(?P<under>0*[1-9]\d*)(?!\d)|/(?P<divisor>0*[1-9]\d*)(?![\d/]))?"  # 1 1/2, 3/4
)
_THOUSANDS = re.compile(r"(?<=\d)(?:\{,\}|\\[,!]|[\u00a0\u2009\u202f'’])(?=\d{3}(?!\d))")
_LATEX_FRACTION = re.compile(r"(?P<whole>\d\s*)?\\[dt]?frac\s*\{(?P<top>\d+)\}\s*\{(?P<under>\d+)\}")
_FRACTION_SIGN = re.compile(r"(?P<whole>\d\s?)?(?P<sign>[¼-¾⅐-⅞])")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_MARK = re.compile("####|=")
_LONGEST_NUMBER = 64
"""Characters; a longer number is a loop of the model, not an answer."""


class Gsm8k:
    """The rule of GSM8K (module docstring)."""

    name = "gsm8k"
    scorer = "rescored:gsm8k"

    def gold(self, answer: str) -> str | None:
        r"""Gold number of an item: after the last `#`, else the only number; null where there is none.

        >>> BENCHMARK.gold("9 * 2 = $<<9*2=18>>18\n#### 18"), BENCHMARK.gold("# 1,450,000")
        ('18', '1450000')
        >>> BENCHMARK.gold("9 * 2 = 18") is None
        True
        """
        found = _only(answer)
        return None if found is None else _written(found)

    def score(self, answer: str, gold: str) -> Scored:
        """Answer of a generated text, and whether it equals the gold number.

        Raises
        ------
        LogError
            `gold` holds no number.

        >>> BENCHMARK.score("5 + 13 = 18 dollars", "#### 18"), BENCHMARK.score('{"answer": 18.5}', "18")
        (Scored(extracted='18', correct=True), Scored(extracted='18.5', correct=False))
        """
        right, given = _only(gold), _given(answer)
        if right is None:
            raise LogError(
                problem(
                    "no gold number",
                    where=self.name,
                    found=f"{gold!r:.80}",
                    allowed="a number, alone or after ####",
                    remedy="mend the benchmark's items or labels",
                )
            )
        if given is None:
            return Scored(None, False)
        return Scored(_written(given), _value(given) == _value(right))

    def turns(self, text: str, gold: str) -> Iterator[int]:
        """Places where the answer may become right: the gold number ends, however written, or a mark moves.

        >>> sorted(BENCHMARK.turns("2 + 2 is 4, so 4", "4"))
        [9, 9, 15, 15]
        """
        right = _only(gold)
        yield from turns.of_fields(text)
        yield from turns.of_boxes(text)
        yield from turns.of_matches(_LATEX_FRACTION, text)
        yield from turns.of_matches(_turn("" if right is None else str(int(abs(_value(right))))), text)
        first = text.find("####")
        if first >= 0:
            yield from (found.start() for found in _MARK.finditer(text, first))


BENCHMARK = Gsm8k()


@lru_cache(maxsize=1024)
def _turn(whole: str) -> re.Pattern[str]:
    """Where a number may end that has this whole part: its last thousand, or a form that says it in another way."""
    last = r"0|\.\d" if whole == "0" else re.escape(whole[-3:])
    return re.compile(rf"{last}|[/\u2044]\d|\d[eE][+-]?\d|[¼-¾⅐-⅞]|(?![0-9])\d")


def _only(gold: str) -> re.Match[str] | None:
    numbers = list(_NUMBER.finditer(_plain(gold).rpartition("#")[2]))
    return _short(numbers[0]) if len(numbers) == 1 else None


def _given(text: str) -> re.Match[str] | None:
    """The number that a text gives as its answer."""
    field = field_in(text, "answer")
    if field is not None:
        return _first(_plain(field))
    text = _plain(text)
    for marked in (*(text.rpartition("####")[2:] if "####" in text else ()), *_BOXED.findall(text)[-1:]):
        found = _first(marked)
        if found is not None:
            return found
    last = None
    for found in _NUMBER.finditer(text):
        last = found
    return _short(last)


def _plain(text: str) -> str:
    """A text with all fractions as 3/4 or 1 1/2, and commas between thousands."""
    text = _LATEX_FRACTION.sub(
        lambda found: f"{_whole(found)}{found['top']}/{found['under']}", _THOUSANDS.sub(",", text)
    )
    return _FRACTION_SIGN.sub(
        lambda found: f"{_whole(found)}{normalize('NFKC', found['sign'])}", text
    ).replace("\u2044", "/")


def _whole(found: re.Match[str]) -> str:
    return f"{found['whole'].strip()} " if found["whole"] else ""


def _first(text: str) -> re.Match[str] | None:
    """First number after the last `=`, else before it."""
    before, _, after = text.rpartition("=")
    return _short(_NUMBER.search(after) or _NUMBER.search(before))


def _short(found: re.Match[str] | None) -> re.Match[str] | None:
    return found if found is not None and len(found[0]) <= _LONGEST_NUMBER else None


def _value(found: re.Match[str]) -> Fraction:
    value = Fraction(found["number"].replace(",", ""))
    if found["divisor"]:
        value /= int(found["divisor"])
    if found["under"]:
        value += Fraction(int(found["top"]), int(found["under"]))
    return -value if found["minus"] or found["inner"] else value


def _written(found: re.Match[str]) -> str:
    """A number as it stands in the text, without currency and separators."""
    return re.sub(r"[\\$€£¥₹,]", "", found[0]).replace("−", "-")
