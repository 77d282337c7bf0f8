r"""CogniLoad: which value does a text give to the asked property, and is it the right one?

    correct <=> value of the text = value of the item

The puzzle asks for one property of one person and for a last sentence that tells it ("Peter is wearing blue
socks."). The declared rule. The value stands in the first of these places that the text has:

1. the field `answer` of its JSON object, or the last such field where the object is broken (answers.py);
2. its last `\boxed{}`;
3. the line behind its last "answer:" or "the answer is";
4. its last sentence that tells a value.

In 1 to 3 one or two words alone are the value. In a sentence the value is the word before a piece of clothing
or before hair, movie, film, book or music, behind a verb of eating, watching, reading or listening, or the
place in which somebody is; in a sentence with none of these, what it ends in behind "is", "wearing" or a
colon. Words behind "not" do not count. A sentence with several values is ambiguous: then there is no answer,
and no further place is searched. Nor is one behind a field or box without a value.

Values are compared without case, spaces and hyphens, and in the spellings of the puzzles ("grey" is "gray",
"reggae" is "reaggea", "living room" is "livingroom").

>>> for text in ("Ann is wearing grey socks.", "Ann's socks are red.", "Ann is in the bar.", "Red and blue socks."):
...     print(BENCHMARK.score(text, "gray"))
Scored(extracted='grey', correct=True)
Scored(extracted='red', correct=False)
Scored(extracted='bar', correct=False)
Scored(extracted=None, correct=False)

Does not look at the question: a true sentence about another property or person is a wrong answer unless the
values happen to be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from effspark.benchmarks import Scored, turns
from effspark.benchmarks.answers import field_in
from effspark.errors import LogError, problem

_WORD = r"(?:[a-z]+[ ]room|golf[ ]course|science[ ]fiction|sci[ ]fi|non[ ]fiction|[a-z]+(?:-(?!colou?red)[a-z]+)*)"
_NO_VALUE = (
    r"(?:a|an|the|some|his|her|their|its|this|that|which|what|of|kind|type|colou?r(?:ed)?|final|last|latest|current"
    r"|most|recent(?:ly)?|same|wearing|with|and|or|not|any|no|to|from|is|was|in|it|music|movie|film|book|genre|new"
    r"|asked|correct|right|clear|complete|true|null|none|done|so|there|unchanged|(?:un)?affected)"
)
_VALUE = rf"(?P<{{}}>(?!{_NO_VALUE}\b){_WORD})"
_NOW = r"(?:(?:now|currently|finally|ultimately|still|located|situated|standing)\s+)*"
_TOLD = re.compile(
    rf"""
    (?<![\w'’-])(?:{_VALUE.format("before")}(?:[-\s]colou?red)?\s+
        (?:shirts?|pants?|trousers|hats?|socks?|gloves?|underwear|hair(?!\s+colou?r)|movies?|films?|books?|music)\b
    | (?:ate|eaten|eats?|eating|watch(?:ed|es|ing)?|reads?|reading|listen(?:ed|s|ing)?\s+to)\s+
        (?:(?:an?|some|the)\s+)?{_VALUE.format("done")}(?![\w'’-])
    | (?:is|was|be|are|moved|went)\s+{_NOW}(?:in|at|inside|on|to)\s+
        (?:(?:an?|the)\s+)?{_VALUE.format("place")}(?![\w'’-])
    )
    """,
    re.I | re.X,
)
_ENDS = re.compile(
    rf"(?:\b(?:is|was|are|wearing|wears)|[:=])\s+{_NOW}(?:(?:an?|the)\s+)?{_VALUE.format('last')}\W*$", re.I
)
_ALONE = re.compile(rf"\W*(?:(?:an?|the)\s+)?(?P<alone>(?!{_NO_VALUE}\b){_WORD}(?:\s+[a-z]+)?)\W*", re.I)
_NEGATED = re.compile(r"\b(?:not|longer)\s+(?:(?:an?|the)\s+)?$", re.I)
_JOINED = re.compile(rf"(?<![\w'’-]){_VALUE.format('one')}\s*(?:,|/|,?\s*(?:and|or))\s*$", re.I)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]+)*")
_MARKUP = re.compile(r"\*\*|__|[`$]|\\text(?:bf|it|rm)?|[{}]")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_STATED = re.compile(r"\banswer\b[^.:=\n]{0,40}?(?:\b(?:is|be)\b:?|[:=])", re.I)
_ANSWER = re.compile(r"answer[^.:=\n]*[:=]?", re.I)
_BEGINS = re.compile(r"\b(?:is|be)\b:?|[:=]", re.I)
_WORDS = re.compile(r"\S+")
_LONGEST_STATEMENT = turns.LONGEST_STATEMENT  # characters; what comes later no longer belongs to the answer

_SPELLINGS = {
    "grey": "gray",
    "reggae": "reaggea",
    "sciencefiction": "scifi",
    "theater": "theatre",
    "potato": "potatoes",
    "eggs": "egg",
    "tacos": "taco",
    "bananas": "banana",
    "burgers": "burger",
    "burritos": "burrito",
}
"""Spellings of values that differ from those of the puzzles."""


class CogniLoad:
    """The rule of CogniLoad (module docstring)."""

    name = "cogniload"
    scorer = "rescored:cogniload"

    def gold(self, answer: str) -> str | None:
        """Right value of an item, as one or two words; null where it has none.

        >>> BENCHMARK.gold(" Sci-Fi "), BENCHMARK.gold("Ann is at the pier."), BENCHMARK.gold("7")
        ('sci-fi', 'pier', None)
        """
        values = _read(_MARKUP.sub("", answer))
        return values[0].lower() if len(values) == 1 else None

    def score(self, answer: str, gold: str) -> Scored:
        """Value that a text tells, and whether it is the right one.

        Raises
        ------
        LogError
            `gold` tells no value.

        >>> BENCHMARK.score("Ann most recently listened to Jazz music.", "jazz")
        Scored(extracted='jazz', correct=True)
        """
        right = self.gold(gold)
        if right is None:
            raise LogError(
                problem(
                    "no gold value",
                    where=self.name,
                    found=f"{gold!r:.80}",
                    allowed="one or two words, or a sentence that tells them",
                    remedy="mend the benchmark's items or labels",
                )
            )
        given = _given(answer)
        return Scored(None, False) if given is None else Scored(given, _key(given) == _key(right))

    def turns(self, text: str, gold: str) -> Iterator[int]:
        """Places where the answer may become right: the gold value ends, or the noun that it belongs to; a field or
        box changes; a later statement takes the place of an earlier one.

        >>> sorted(set(BENCHMARK.turns("He has gray socks.", "gray")))
        [7, 10, 15]
        """
        plain, place = turns.without(text, _MARKUP)
        told = turns.of_matches(_turn(_key(self.gold(gold) or "")), plain)
        inner = chain(told, turns.of_cuts(_STATED, plain), _statements(plain))
        return chain(turns.of_fields(text), turns.of_boxes(text), map(place, inner))


BENCHMARK = CogniLoad()


@lru_cache(maxsize=1024)
def _turn(key: str) -> re.Pattern[str]:
    """A value in any spelling, and the noun behind it."""
    spelt = (key, *(other for other, one in _SPELLINGS.items() if one == key))
    values = "|".join(r"[-\s]*".join(map(re.escape, word)) for word in spelt)
    nouns = "shirt|pant|trousers|hat|sock|glove|underwear|hair|movie|film|book|music"
    return re.compile(rf"(?:{values})(?=([-\s]*(?:colou?red)?\s*(?:{nouns})))?", re.I)


def _statements(text: str) -> Iterator[int]:
    """Places where a statement may begin, and of what follows, until it can be no single value."""
    for answer in _ANSWER.finditer(text):
        for found in _BEGINS.finditer(text, answer.start(), answer.end()):
            yield found.start()
            bound = found.end() < len(text) and not text[found.end()].isspace()
            last = found.end() + _LONGEST_STATEMENT if bound else len(text)
            words = _WORDS.finditer(text, found.end(), last)
            yield from (word.start() for word in (words if bound else islice(words, 3)))


def _given(text: str) -> str | None:
    """Value that a text tells; null where there is none, or more than one."""
    field = field_in(text, "answer")
    if field is not None:
        found = _read(_MARKUP.sub("", field))
    else:
        found = next((values for values in _places(text) if values is not None), ())
    return found[0].lower() if len(found) == 1 else None


def _places(text: str) -> Iterator[tuple[str, ...] | None]:
    """Values in each place of the rule from 2 on; null where the text lacks the place."""
    yield from (_read(_MARKUP.sub("", boxed)) for boxed in _BOXED.findall(text)[-1:])
    plain = _MARKUP.sub("", text)
    for stated in list(_STATED.finditer(plain))[-1:]:
        yield (
            _read(plain[stated.end() : stated.end() + _LONGEST_STATEMENT].lstrip().partition("\n")[0]) or None
        )
    for sentence in reversed(_SENTENCE.findall(plain)):
        yield _told(sentence) or None
    yield _read(plain)


def _read(piece: str) -> tuple[str, ...]:
    """Values of a piece that is the answer: one or two words alone, else those that it tells."""
    told = _told(piece)
    alone = None if told else _ALONE.fullmatch(piece)
    return told if alone is None else (alone["alone"],)


def _told(sentence: str) -> tuple[str, ...]:
    """Values that a sentence tells, each once."""
    values: dict[str, str] = {}
    for found in _TOLD.finditer(sentence):
        begin = found.start(str(found.lastgroup))
        if _NEGATED.search(sentence, max(0, begin - 20), begin):
            continue
        words = [found[str(found.lastgroup)]]
        while found["before"] and (joined := _JOINED.search(sentence, max(0, begin - 40), begin)):
            words.append(joined["one"])
            begin = joined.start()
        values.update({_key(word): word for word in words})
    if not values:
        last = _ENDS.search(sentence[-_LONGEST_STATEMENT:])
        values = {} if last is None else {_key(last["last"]): last["last"]}
    return tuple(values.values())


def _key(value: str) -> str:
    key = "".join(filter(str.isalpha, value.casefold()))
    return _SPELLINGS.get(key, key)
