"""What does a simulated model write? Text of a known number of o200k_base tokens.

    tokens(passage of n) = n        tokens(frame around it) = FRAME_TOKENS or OPEN_FRAME_TOKENS

Every sentence consists of words that are one token each when a space stands before them, and ends in a full
stop, which is one token too; the tokenizer splits text at those places, so counts add up. The tests verify this
with the tokenizer itself. Says nothing of how many tokens a run needs (draws.py).
"""

from __future__ import annotations

import numpy as np

_SENTENCES = (
    "We carry the running total over to the next step",
    "This part only changes one quantity at a time",
    "Now the earlier value has to be used again",
    "Each group adds the same amount as before",
    "That leaves the rest for the second part",
    "The order of these steps does not matter here",
    "Let me check this against the question once more",
    "Half of them were counted in the first line",
    "Nothing else in the text changes this value",
    "The two amounts are of the same kind",
    "So both sides agree and the work goes on",
    "It helps to write down what is known first",
    "Every link leads to exactly one other place",
    "From there the path moves on to its neighbour",
    "The same place was passed a few lines above",
    "Taking it back would undo the last move",
    "Only the final state is asked for",
    "There is no need to go through this twice",
)
SENTENCES = tuple((*(f" {word}" for word in text.split()), ".") for text in _SENTENCES)
"""Sentences as tuples of pieces, one token each."""

FRAME_TOKENS = 26
"""Tokens of `framed("", answer)` for an answer of one to three digits."""
OPEN_FRAME_TOKENS = 11
"""Tokens of `open_frame("")`."""
STATEMENT_TOKENS = 7
"""Tokens of `statement(answer)` for an answer of one to three digits."""

_OPENING = '{\n    "reasoning": "Let us see.'


def passage(rng: np.random.Generator, length: int, *, repetition: float = 0.0) -> str:
    """Text of exactly `length` tokens where it follows a full stop; it begins with a space.

    Parameters
    ----------
    rng
        Source of randomness.
    length
        Tokens, from 0.
    repetition
        Probability that a sentence repeats the one before it.

    >>> text = passage(np.random.default_rng(1), 5)
    >>> text[0], len(text.split())
    (' ', 5)
    """
    shortest = min(len(sentence) for sentence in SENTENCES)
    size = length // shortest + 1
    chosen = rng.integers(len(SENTENCES), size=size)
    repeated = rng.random(size) < repetition
    pieces: list[str] = []
    sentence = int(chosen[0])
    for new, again in zip(chosen.tolist(), repeated.tolist(), strict=True):
        sentence = sentence if again else new
        pieces.extend(SENTENCES[sentence])
        if len(pieces) >= length:
            break
    return "".join(pieces[:length])


def loop(rng: np.random.Generator, length: int) -> str:
    """Text of exactly `length` tokens that circles in two sentences, as cut runs often do.

    >>> text = loop(np.random.default_rng(1), 100)
    >>> len(set(text.split(".")[:-1]))
    2
    """
    first, second = (SENTENCES[place] for place in rng.integers(len(SENTENCES), size=2).tolist())
    around = (*first, *second)
    return "".join((around * (length // len(around) + 1))[:length])


def statement(answer: str) -> str:
    """Sentence that names the answer.

    >>> statement("18")
    ' So the answer is 18.'
    """
    return f" So the answer is {answer}."


def framed(reasoning: str, answer: str) -> str:
    """A finished JSON answer of FRAME_TOKENS more tokens than the reasoning, which begins with a space.

    >>> print(framed(" Each group adds the same amount.", "18"))
    {
        "reasoning": "Let us see. Each group adds the same amount. So the answer is 18.",
        "answer": "18"
    }
    """
    return f'{_OPENING}{reasoning}{statement(answer)}",\n    "answer": "{answer}"\n}}'


def open_frame(reasoning: str) -> str:
    """A JSON answer cut inside its reasoning, of OPEN_FRAME_TOKENS more tokens than the reasoning.

    >>> print(open_frame(" Each group adds"))
    {
        "reasoning": "Let us see. Each group adds
    """
    return _OPENING + reasoning
