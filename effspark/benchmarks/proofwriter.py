r"""ProofWriter: does a text call the statement true, false or unknown, and is that right?

    correct <=> truth value of the text = truth value of the item

The declared rule. The value stands in the first of these places that the text has:

1. the field `answer` of its JSON object, or the last such field where the object is broken (answers.py);
2. its last `\boxed{}`;
3. its last statement of the kind "the answer is false" or "Answer: Unknown";
4. its last truth value.

In 1 to 3 the first value counts, where there is none "yes" and "no" at the start, or the letter T, F or U
alone; a field without a value is an answer without one. Usual spellings of unknown are read: "uncertain",
"undetermined", "cannot be determined", "neither true nor false", "not enough information" and the like.
Values that are joined ("true or false") are ambiguous, and so is "not true": under an open world that may be
false or unknown. An ambiguous place gives no answer, and no further place is searched.

>>> for text in ("The answer is False.", "It cannot be proven true or false.", '{"answer": true}', "Not true."):
...     print(BENCHMARK.score(text, "False"))
Scored(extracted='False', correct=True)
Scored(extracted='Unknown', correct=False)
Scored(extracted='True', correct=False)
Scored(extracted=None, correct=False)

Does not judge the proof, and does not read the letters of options: these follow the rule multiple_choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import chain

from effspark.benchmarks import Scored, turns
from effspark.benchmarks.answers import field_in
from effspark.errors import LogError, problem


class Truth(str, Enum):
    """Truth value of a statement under an open world."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


_SETTLE = r"(?:determin|prov|infer|conclud|deduc|deriv|decid|establish|verif|answer|know|tell|say|said)\w*"
_VALUE = re.compile(
    rf"""
    (?P<unknown>
        \b(?:unknown|uncertain|undetermin(?:ed|able)|indetermina(?:te|ble)|undecid(?:ed|able)|inconclusive)\b
      | \bneither\b[^.\n]{{0,20}}?\btrue\s+nor\s+(?:\w+\s+)?false\b
      | \b(?:can(?:\s?no|['’])t|could(?:\snot|n['’]t)|(?:im|not\s)possible\s+to)\s+(?:be\s+)?{_SETTLE}
        (?:[^.\n]{{0,60}}?\btrue\s+(?:or|nor)\s+(?:\w+\s+)?false\b)?
      | \bnot\s+known\b
      | \b(?:not\s+(?:have\s+)?enough|insufficient|no)\s+(?:information|evidence|facts|data)\b
    )
  | (?P<negated>(?:\b(?:can)?not|n['’]t)\s+(?:necessarily\s+|be\s+)?(?:true|false)\b)
  | (?P<plain>\b(?:true|false)\b)
    """,
    re.I | re.X,
)
_JOINT = re.compile(r"[\"'’*)\s]*(?:,\s*(?:and|or)?|/|\||and|or)[\"'‘*(\s]*", re.I)
_MARKUP = re.compile(r"\*\*|__|[`$]")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_STATED = re.compile(r"\banswer\b[^.:=\n]{0,40}?(?:\b(?:is|be)\b:?|[:=])", re.I)
_SHORT = re.compile(r"\W*(?:(?P<yes>yes|t)|(?P<no>no|f)|(?P<unknown>u))\W*", re.I)
_STARTS = re.compile(r"\W*(?:(?P<yes>yes)|(?P<no>no))\b", re.I)
_LONGEST_STATEMENT = turns.LONGEST_STATEMENT  # characters; what comes later no longer belongs to the answer
_TURNS = {
    Truth.TRUE.value: re.compile(r"true|\b(?:yes|t)\b", re.I),
    Truth.FALSE.value: re.compile(r"false|\b(?:no|f)\b", re.I),
    Truth.UNKNOWN.value: re.compile(
        rf"un(?:known|certain|determin|decid)|indetermina|inconclusive|false|t(?:o|n['’]t)?\s+(?:be\s+)?{_SETTLE}"
        r"|information|evidence|facts|data|\bu\b",
        re.I,
    ),
}
"""Words that tell each value, or end what tells it."""


class ProofWriter:
    """The rule of ProofWriter (module docstring)."""

    name = "proofwriter"
    scorer = "rescored:proofwriter"

    def gold(self, answer: str) -> str | None:
        """Right value of an item: True, False or Unknown in any spelling; null where it is none of them.

        >>> BENCHMARK.gold("true"), BENCHMARK.gold("Uncertain"), BENCHMARK.gold("maybe")
        ('True', 'Unknown', None)
        """
        found = _VALUE.fullmatch(answer.strip(" \t\n\"'.*"))
        if found is not None:
            return _values(found)[0].value if len(_values(found)) == 1 else None
        short = _SHORT.fullmatch(answer)
        return None if short is None else _yes_or_no(short).value

    def score(self, answer: str, gold: str) -> Scored:
        """Value that a text calls the statement, and whether it is the right one.

        Raises
        ------
        LogError
            `gold` is no truth value.

        >>> BENCHMARK.score("So it is unknown.", "Unknown"), BENCHMARK.score("true or false?", "True")
        (Scored(extracted='Unknown', correct=True), Scored(extracted=None, correct=False))
        """
        right = self.gold(gold)
        if right is None:
            raise LogError(
                problem(
                    "no gold truth value",
                    where=self.name,
                    found=f"{gold!r:.80}",
                    allowed=", ".join(truth.value for truth in Truth),
                    remedy="mend the benchmark's items or labels",
                )
            )
        given = _given(answer)
        return Scored(None, False) if given is None else Scored(given.value, given.value == right)

    def turns(self, text: str, gold: str) -> Iterator[int]:
        """Places where the answer may become right: a word tells the gold value, or a field or box changes.

        >>> sorted(set(BENCHMARK.turns("It is true, so true.", "True")))
        [6, 9, 15, 18]
        """
        plain, place = turns.without(text, _MARKUP)
        told = turns.of_matches(_TURNS[self.gold(gold) or Truth.UNKNOWN.value], plain)
        inner = chain(told, turns.of_boxes(plain), turns.of_cuts(_STATED, plain))
        return chain(turns.of_fields(text), map(place, inner))


BENCHMARK = ProofWriter()


def _given(text: str) -> Truth | None:
    """Value that a text gives; null where there is none, or more than one."""
    field = field_in(text, "answer")
    plain = _MARKUP.sub("", text if field is None else field)
    places = _places(plain) if field is None else iter([_first(plain)])
    found = next((values for values in places if values), ())
    return found[0] if len(set(found)) == 1 else None


def _places(text: str) -> Iterator[tuple[Truth, ...]]:
    """Values in each place of the rule from 2 on; none where the text lacks the place."""
    yield from (_first(boxed) for boxed in _BOXED.findall(text)[-1:])
    for stated in reversed(list(_STATED.finditer(text))):
        yield _first(text[stated.end() : stated.end() + _LONGEST_STATEMENT].lstrip().partition("\n")[0])
    groups = _groups(text)
    yield groups[-1] if groups else ()


def _first(piece: str) -> tuple[Truth, ...]:
    """First values of a piece that is the answer, those joined to it included."""
    groups = _groups(piece)
    if groups:
        return groups[0]
    short = _SHORT.fullmatch(piece) or _STARTS.match(piece)
    return () if short is None else (_yes_or_no(short),)


def _groups(text: str) -> list[tuple[Truth, ...]]:
    """Values of a text in order, those joined by commas or words of joining in one group."""
    groups: list[tuple[Truth, ...]] = []
    last = 0
    for found in _VALUE.finditer(text):
        joined = bool(groups) and _JOINT.fullmatch(text, last, found.start()) is not None
        before = groups.pop() if joined else ()
        groups.append(tuple(dict.fromkeys((*before, *_values(found)))))
        last = found.end()
    return groups


def _values(found: re.Match[str]) -> tuple[Truth, ...]:
    """Values that a match may mean."""
    if found["unknown"]:
        return (Truth.UNKNOWN,)
    stated = Truth.TRUE if found[0].lower().endswith("true") else Truth.FALSE
    if found["negated"]:
        return tuple(truth for truth in Truth if truth is not stated)
    return (stated,)


def _yes_or_no(found: re.Match[str]) -> Truth:
    if found["yes"]:
        return Truth.TRUE
    return Truth.FALSE if found["no"] else Truth.UNKNOWN
