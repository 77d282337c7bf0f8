from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effspark.benchmarks.multiple_choice import BENCHMARK, LETTERS
from effspark.errors import LogError

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

MEMORY = json.dumps(
    {"options": ["FIFO memory", "Flash memory", "LIFO memory", "memory", "2", "2.5"], "answer": "C"}
)


def chosen(text: str, gold: str = "C") -> str | None:
    return BENCHMARK.score(text, gold).extracted


@pytest.mark.parametrize(
    ("answer", "gold"),
    [
        ("C", "C"),
        (" c ", "C"),
        ("(C)", "C"),
        ("**C**.", "C"),
        ("C. gross error", '{"answer": "C", "options": {"C": "gross error"}}'),
        ("(C) gross error", '{"answer": "C", "options": {"C": "gross error"}}'),
        (
            '{"options": ["x", "y"], "answer_index": 1}',
            '{"answer": "B", "options": {"A": "x", "B": "y"}}',
        ),
        (
            '{"options": {"A": "x", "B": "y"}, "answer": "Y."}',
            '{"answer": "B", "options": {"A": "x", "B": "y"}}',
        ),
        (
            '{"options": {"a": "x", "b": 1}, "answer": "b)"}',
            '{"answer": "B", "options": {"A": "x", "B": "1"}}',
        ),
        ("", None),
        ("K", None),
        ("2", None),
        ("gross error", None),
        ("A good conductor", None),
        ('{"options": ["x", "x"], "answer": "x"}', None),
        ('{"options": ["x", "y"], "answer": "C"}', None),
        ('{"options": ["x", "y"], "answer_index": 2}', None),
        ('{"options": ["x", "y"], "answer_index": true}', None),
        ('{"options": ["x", null], "answer": "A"}', None),
        ('{"options": {"K": "x"}, "answer": "K"}', None),
        ('{"options": [], "answer": "A"}', None),
        ('{"answer": "A"}', None),
    ],
)
def test_gold_is_a_letter_with_the_options_where_the_item_tells_them(answer: str, gold: str | None) -> None:
    assert BENCHMARK.gold(answer) == gold


def test_more_options_than_letters_are_no_gold() -> None:
    assert BENCHMARK.gold(json.dumps({"options": [str(one) for one in range(11)], "answer": "A"})) is None


@given(
    st.lists(st.sampled_from(["red", "blue", "1", "2.5", "a b"]), min_size=1, max_size=5, unique=True),
    st.integers(0, 9),
)
def test_gold_gives_its_own_results_back(options: list[str], index: int) -> None:
    gold = BENCHMARK.gold(json.dumps({"options": options, "answer_index": index}))
    assert (gold is not None) is (index < len(options))
    if gold is not None:
        assert BENCHMARK.gold(gold) == gold
        assert BENCHMARK.score(f"The answer is ({LETTERS[index]}).", gold).correct


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ('{"reasoning": "A", "answer": "C"} D', "C"),
        ('```json\n{"reasoning": "a "quote" A", "answer": "(C)"}\n```', "C"),
        ('{"answer": "C: LIFO"} \\boxed{A}', "C"),
        ('{"answer": null} The answer is B', None),
        ("\\boxed{A} then \\boxed{\\text{(C)}}. The answer is B", "C"),
        ("The answer is A. No: the answer is (C), not D", "C"),
        ("The answer is B. The answer is not clear. D", "B"),
        ("C\n\nOf these, A is wrong and so is B", "C"),
        ("(A)\nso (C).\n", "A"),
        ("A is wrong, so it must be C", "C"),
        ("(b)", "B"),
        ("b", "B"),
        (" b.\n", "B"),
        ("so:\n(b)", "B"),
        ("b)\nHope this helps.", "B"),
        ("so\nb\nand so on", None),
        ("k", None),
        ("<answer>C</answer>", "C"),
        ("<answer> (c) </answer> A", "C"),
        ("\\boxed{A} <Answer>\nOption C\n</Answer>", "C"),
        ("<answer>B</answer> \\boxed{C}", "C"),
        ("<answer>\\boxed{C}</answer>", "C"),
        ("<answer>so and so</answer> The answer is C", "C"),
        ("C, since B is false", "C"),
        ("(C) because B and D are false. Bye", "C"),
        ("C, since B is false. So it is D", "D"),
        ("C, since B is false\nD fits", "D"),
        ("A is wrong since C is right", "C"),
        ("I took the one in the middle.", None),
        ("", None),
    ],
)
def test_the_choice_stands_in_the_first_place_that_the_text_has(text: str, letter: str | None) -> None:
    assert chosen(text) == letter


@pytest.mark.parametrize(
    "text",
    [
        "The answer is (C).",
        "the answer is c",
        "answer is (c)",
        "**Answer:** C",
        "Answer = C",
        "Final Answer:\n\nC",
        "The correct option is **C**",
        "The best answer to question B is most likely option (C), since",
        "So the answer must be $\\textbf{(C)}$",
        "the correct answer is choice c)",
        "The answer is C, I believe",
        "The answer is: **C) 5 apples**",
    ],
)
def test_statements_of_the_answer(text: str) -> None:
    assert chosen(text) == "C"


@pytest.mark.parametrize(
    "text",
    [
        "A or C",
        "Either A, B or C.",
        "It's A/C",
        "The answer is (A) or (C)",
        "the answer: therefore (A), (B) and (C)",
        '{"answer": "Both A and C"}',
        '{"answer": ["A", "C"]}',
        "\\boxed{A, C} C",
    ],
)
def test_several_letters_are_no_answer(text: str) -> None:
    assert BENCHMARK.score(text, "C") == (None, False)


@pytest.mark.parametrize(
    "text",
    [
        "Answer: A good conductor",
        "The answer is a bit hard",
        "I think it is easy",
        "P = I^2 * R, so E = 0",
        "It was E. coli",
        "so it is not (A)",
        "a T-shirt, J-shaped",
        "answer is (K)",
    ],
)
def test_words_formulas_and_names_are_no_letters(text: str) -> None:
    assert chosen(text) is None


def test_a_letter_said_twice_is_one_answer() -> None:
    assert chosen("C and C") == chosen('{"answer": "C, that is (C)"}') == "C"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ('{"answer": "LIFO memory"}', "C"),
        ("\\boxed{\\text{lifo  memory}}", "C"),
        ("The answer is FIFO memory, A", "A"),
        ("Think.\nIt is known as LIFO memory.", "C"),
        ("It is 2.5", "F"),
        ("It is 2.", "E"),
        ("FIFO memory or LIFO memory", None),
        ("The answer is J", None),
        ("It is LIFO memory.\nI hope this helps", None),
    ],
)
def test_known_options_are_found_by_their_text(text: str, letter: str | None) -> None:
    assert chosen(text, MEMORY) == letter


def test_the_text_beside_the_right_letter_is_as_good_as_the_letter() -> None:
    assert BENCHMARK.score("It is a gross error", "C. gross error").correct
    assert chosen("It is an error, so J", "C. gross error") == "J"


def test_texts_with_currency_are_found() -> None:
    gold = '{"options": ["$5", "$50"], "answer": "B"}'
    assert chosen("It costs $50.", gold) == "B"
    assert chosen("It costs $5.", gold) == "A"


@given(st.text(max_size=60), st.sampled_from(LETTERS))
def test_any_text_can_be_scored(text: str, gold: str) -> None:
    scored = BENCHMARK.score(text, gold)
    assert scored.extracted in {None, *LETTERS}
    assert scored.correct is (scored.extracted == gold)


@given(st.sampled_from(LETTERS), st.sampled_from(LETTERS), st.booleans())
def test_a_chosen_letter_is_read_however_it_is_said(letter: str, gold: str, small: bool) -> None:
    said = letter.lower() if small else letter
    for form in ("The answer is ({}).", "Answer: {}", '{{"answer": "{}"}}', "\\boxed{{{}}}"):
        assert BENCHMARK.score(form.format(said), gold) == (letter, letter == gold)


def test_long_texts_take_no_time() -> None:
    assert chosen("The answer is " * 5_000 + "\\boxed{" * 5_000) is None
    assert chosen("A, " * 5_000 + "B") is None
    assert chosen("<answer>" * 5_000 + "A since " * 5_000) == "A"


def test_gold_without_a_letter_is_an_error() -> None:
    with pytest.raises(LogError, match=r"no gold letter \(multiple_choice\): found 'many'"):
        BENCHMARK.score("C", "many")


def test_letters_of_the_mmlu_pro_samples_are_those_of_its_harness() -> None:
    folder = SHARED / "logs" / "mmlu_pro"
    if not folder.is_dir():
        pytest.skip("no shared data")
    rows = [row for path in sorted(folder.glob("*.json")) for row in json.loads(path.read_text())]
    assert len(rows) == 15
    for row in rows:
        gold = json.dumps({"options": row["options"], "answer_index": row["answer_index"]})
        text = row.get("model_outputs") or row["generated_text"]
        assert BENCHMARK.score(text, gold) == (row["pred"], row["pred"] == row["answer"])
        assert BENCHMARK.score(text, row["answer"]) == (row["pred"], row["pred"] == row["answer"])
