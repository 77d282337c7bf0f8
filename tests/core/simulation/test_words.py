from __future__ import annotations

from itertools import pairwise

import bpe_openai
import numpy as np
import pytest

from effspark.simulation import words

ENCODING = bpe_openai.get_encoding("o200k_base")


def tokens(text: str) -> int:
    return len(ENCODING.encode_ordinary(text))


def test_every_piece_of_every_sentence_is_one_token() -> None:
    assert [piece for sentence in words.SENTENCES for piece in sentence if tokens(piece) != 1] == []


@pytest.mark.parametrize("length", [0, 1, 2, 9, 10, 11, 57, 500])
def test_a_passage_has_the_length_asked_for(length: int) -> None:
    rng = np.random.default_rng(length)
    for repetition in (0.0, 0.7):
        assert tokens("Let us see." + words.passage(rng, length, repetition=repetition)) == 4 + length
    assert tokens("Let us see." + words.loop(rng, length)) == 4 + length


@pytest.mark.parametrize("answer", ["7", "18", "912"])
@pytest.mark.parametrize("length", [0, 5, 83])
def test_frames_and_statements_add_their_own_tokens_only(answer: str, length: int) -> None:
    text = words.passage(np.random.default_rng(1), length)
    assert tokens(words.framed(text, answer)) == words.FRAME_TOKENS + length
    assert tokens(words.open_frame(text)) == words.OPEN_FRAME_TOKENS + length
    middle = words.framed(text + words.statement(answer) + text, answer)
    assert tokens(middle) == words.FRAME_TOKENS + words.STATEMENT_TOKENS + 2 * length


def test_repetition_repeats_the_sentence_before() -> None:
    def repeated(share: float) -> float:
        text = words.passage(np.random.default_rng(3), 5000, repetition=share)
        sentences = text.split(".")[:-1]
        return sum(a == b for a, b in pairwise(sentences)) / (len(sentences) - 1)

    chance = 1 / len(words.SENTENCES)
    assert abs(repeated(0.0) - chance) < 0.05
    assert abs(repeated(0.6) - (0.6 + 0.4 * chance)) < 0.1
