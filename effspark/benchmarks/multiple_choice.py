r"""Multiple choice: which option does a text choose, and is it the right one?

    correct <=> letter of the text = letter of the item, of A to J

The declared rule. The choice stands in the first of these places that the text has:

1. the field `answer` of its JSON object, or the last such field where the object is broken (answers.py);
2. its last `\boxed{}` or `<answer>` tag;
3. its last statement of the kind "the answer is (B)" or "Answer: B";
4. its last line that holds a letter and nothing else;
5. its last letter that stands alone: a capital that is no article, pronoun, initial or part of a formula, nor of the
   reason for a letter that begins its line ("C, since B is false");
6. its last line, where the options are known and it names exactly one of them.

In 1 to 3 the text of an option is as good as its letter where the options are known. A place that names
several letters ("A or B") is ambiguous: then there is no answer, and no further place is searched. Nor is one
behind a field without a letter. Small letters count where they are marked as a choice, "(b)" or "Answer: b", and where
they are the whole text.

The right answer of an item is a letter ("C", "(C)"), a letter with its text ("C. gross error"), or a JSON
object with `options` or `choices` (a list, or texts by letter) and an `answer` (a letter, a text of the options,
or a place from 0), an `answer_index` or both (choices.py). With two or more options no other letters are read.

>>> for text in ("The answer is (C).", r"\boxed{\text{C}}", '{"answer": "c"}', "A good try, so C", "A or C"):
...     print(BENCHMARK.score(text, "C"))
Scored(extracted='C', correct=True)
Scored(extracted='C', correct=True)
Scored(extracted='C', correct=True)
Scored(extracted='C', correct=True)
Scored(extracted=None, correct=False)

Does not guess where it finds no letter, as some harnesses do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from effspark.benchmarks import Scored, turns
from effspark.benchmarks.answers import field_in
from effspark.benchmarks.choices import LETTERS, Options, item_of, plain, right_option, told
from effspark.errors import LogError, problem

_GOLD = re.compile(r"\W*(?P<letter>[A-Ja-j])(?:\W*|[.):]\s+(?P<text>\S.*))", re.S)
_MARKUP = re.compile(r"\*\*|__|[`$]")
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}|<answer>([^<]{0,500})</answer>", re.I)
_CLOSED = re.compile("</answer>", re.I)
_STATED = re.compile(
    r"\b(?:answer|choice|option)\b(?:(?!choices|options)[^.:=\n]){0,40}?(?:\b(?:is|be)\b:?|[:=])", re.I
)
_FILLER = re.compile(
    r"(?:[\s\"'(\[{\\:]|(?:option|choice|letter|answer|text(?:bf|it|rm)?|math(?:rm|bf)|therefore|thus|then"
    r"|most likely|probably|clearly)(?![a-z]))*",
    re.I,
)
_LETTER = re.compile(r"(?<![\w'’^\\.-])[A-Ja-j](?![\w'’^]|-\w|\.\w)")
_ALONE = re.compile(r"[ \t(\[{]*(?:([A-J])[ \t)\]}.:]*|([a-j])[ \t]*[)\]}][ \t.:]*)")
_WHOLE = re.compile(r"\W*([A-Ja-j])\W*")
_REASONED = re.compile(
    r"^[ \t(\[{\"']*[A-J](?P<reason>[)\]}\"'.,;:]*[ \t]+(?:since|because|as|due)\b[^.!?\n]*)", re.M
)
_JOINT = re.compile(r"[)\]}\"'\s]*(?:,\s*(?:and|or)?|/|&|and|or)\s*(?:options?\s|choices?\s)?[(\[{\"'\s]*")
_MARKED = re.compile(r"\s*(?:[)\]}.,;:\"'\\]|$)")
_WORD = re.compile(r"\s+(?!(?:and|or|as|because|since|is|due)\b)[a-z]")
_FORMULA_BEFORE = re.compile(r"(?:[=+*^<>]|\bnot)\s*[(\[]?$")
_FORMULA_AFTER = re.compile(r"\s*[=+*^<>]|\.\s?[a-z]")


class MultipleChoice:
    """The rule of questions with options A to J (module docstring)."""

    name = "multiple_choice"
    scorer = "rescored:multiple_choice"
    letters = LETTERS

    def gold(self, answer: str) -> str | None:
        """Right letter of an item, with the options as JSON where the item tells them; null without a letter.

        >>> BENCHMARK.gold("(c)"), BENCHMARK.gold("blue")
        ('C', None)
        >>> BENCHMARK.gold('{"options": ["red", "blue"], "answer": "blue"}')
        '{"answer": "B", "options": {"A": "red", "B": "blue"}}'
        """
        found = _right(answer)
        return None if found is None else told(*found)

    def score(self, answer: str, gold: str) -> Scored:
        """Letter that a text chooses, and whether it is the right one.

        Raises
        ------
        LogError
            `gold` tells no letter.

        >>> gold = '{"options": ["red", "blue"], "answer": "B"}'
        >>> BENCHMARK.score("It must be blue.", gold), BENCHMARK.score("Answer: red", gold)
        (Scored(extracted='B', correct=True), Scored(extracted='A', correct=False))
        """
        right = _right(gold)
        if right is None:
            raise LogError(
                problem(
                    "no gold letter",
                    where=self.name,
                    found=f"{gold!r:.80}",
                    allowed="a letter of A to J, alone, before its text, or in a JSON object with the options",
                    remedy="mend the benchmark's items or labels",
                )
            )
        letter, options = right
        found = _given(answer, options)
        return Scored(found, found == letter)

    def turns(self, text: str, gold: str) -> Iterator[int]:
        """Places where the answer may become right: the letter, the end of its option's text and the word behind
        either, which tells an article from a choice; a field or box changes.

        >>> sorted(set(BENCHMARK.turns("A or B, so B", "B")))
        [5, 8, 11]
        """
        letter, options = _right(gold) or ("", {})
        bare, place = turns.without(text, _MARKUP)
        found = re.compile(rf"(?<!\w){letter}(?!\w)(?=(\S*\s+\S))?", re.I)
        inner = chain(
            turns.of_matches(found, bare),
            turns.of_option(bare, plain(options.get(letter, ""))),
            turns.of_boxes(bare),
            turns.of_matches(_CLOSED, bare),
            turns.of_cuts(_STATED, bare),
        )
        return chain(turns.of_fields(text), map(place, inner))


BENCHMARK = MultipleChoice()


def _right(gold: str) -> tuple[str, dict[str, str]] | None:
    """Right letter, and the options that are known."""
    item = item_of(gold)
    if item is not None:
        return right_option(item)
    found = _GOLD.fullmatch(gold.strip())
    if found is None:
        return None
    letter = found["letter"].upper()
    return letter, {letter: found["text"]} if found["text"] else {}


def _given(text: str, options: Options) -> str | None:
    """Letter that a text chooses; null where there is none, or more than one."""
    field = field_in(text, "answer")
    if field is not None:
        found = _read(_MARKUP.sub("", field), options)
    else:
        bare = _MARKUP.sub("", text)
        found = next((letters for letters in _places(bare, options) if letters), ())
    return found[0] if len(found) == 1 else None


def _places(text: str, options: Options) -> Iterator[tuple[str, ...]]:
    """Letters in each place of the rule from 2 on; none where the text lacks the place."""
    yield from (_read(boxed or tagged, options) for boxed, tagged in _BOXED.findall(text)[-1:])
    for stated in reversed(list(_STATED.finditer(text))):
        line = text[stated.end() : stated.end() + turns.LONGEST_STATEMENT].lstrip().partition("\n")[0]
        yield _first(line, options) or _named(line, options)
    lines = [line for line in text.splitlines() if line.strip()]
    holding = [_WHOLE.fullmatch(text), *(_ALONE.fullmatch(line) for line in lines)]
    alone = [found[found.lastindex or 1].upper() for found in holding if found]
    yield tuple([letter for letter in alone if _allowed(letter, options)][-1:])
    standing = _standing(text, options)
    yield standing[-1] if standing else ()
    yield _named(lines[-1], options) if lines else ()


def _read(piece: str, options: Options) -> tuple[str, ...]:
    """Letters of a piece that is the answer: at its start, else of its option, else all that stand alone."""
    found = _first(piece, options) or _named(piece, options)
    return found or tuple(dict.fromkeys(one for group in _standing(piece, options) for one in group))


def _first(piece: str, options: Options) -> tuple[str, ...]:
    """Letter at the start of a piece, and those joined to it."""
    begin = _FILLER.match(piece)
    found = _LETTER.match(piece, begin.end() if begin else 0)
    if found is None or not _chosen(piece, found, options, marked=found[0].islower()):
        return ()
    letters = [found[0].upper()]
    while joint := _JOINT.match(piece, found.end()):
        more = _LETTER.match(piece, joint.end())
        if more is None or not _chosen(piece, more, options, marked=more[0].islower()):
            break
        letters.append(more[0].upper())
        found = more
    return tuple(dict.fromkeys(letters))


def _standing(text: str, options: Options) -> list[tuple[str, ...]]:
    """Capitals that stand alone and in no reason, those joined by commas or words of joining in one group."""
    reasons = {place for found in _REASONED.finditer(text) for place in range(*found.span("reason"))}
    groups: list[tuple[str, ...]] = []
    last = 0
    for found in _LETTER.finditer(text):
        if found[0].islower() or found.start() in reasons or _in_formula(text, found):
            continue
        if not _chosen(text, found, options, marked=False):
            continue
        joined = bool(groups) and _JOINT.fullmatch(text, last, found.start()) is not None
        before = groups.pop() if joined else ()
        groups.append(before if found[0] in before else (*before, found[0]))
        last = found.end()
    return groups


def _chosen(text: str, found: re.Match[str], options: Options, *, marked: bool) -> bool:
    """Whether a letter can be a choice: no article or pronoun, and marked where that is asked."""
    if not _allowed(found[0].upper(), options):
        return False
    if marked and not _MARKED.match(text, found.end()):
        return False
    return found[0] not in "AI" or not _WORD.match(text, found.end())


def _in_formula(text: str, found: re.Match[str]) -> bool:
    """Whether a letter stands in a formula, a name such as `E. coli`, or behind `not`."""
    before = text[max(0, found.start() - 40) : found.start()].rpartition("\n")[2]
    if not before.strip(" \t(["):
        return False
    return bool(_FORMULA_BEFORE.search(before) or _FORMULA_AFTER.match(text, found.end()))


def _allowed(letter: str, options: Options) -> bool:
    return letter in options or len(options) < 2


def _named(piece: str, options: Options) -> tuple[str, ...]:
    """Letters of the options whose text a piece holds; a text within the text of another does not count."""
    whole = plain(piece)
    texts = {letter: plain(text) for letter, text in options.items()}
    held = {
        letter: text
        for letter, text in texts.items()
        if text and re.search(rf"(?<![\w.]){re.escape(text)}(?!\w|[.,]\d)", whole)
    }
    inner = {
        text for text in held.values() if any(text in other and text != other for other in held.values())
    }
    return tuple(letter for letter, text in held.items() if text not in inner)
