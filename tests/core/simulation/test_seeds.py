from __future__ import annotations

from effspark.simulation.seeds import generator, hex_id, short_id


def test_draws_of_one_purpose_do_not_depend_on_draws_of_another() -> None:
    alone = generator(1, "run", "a", 3).random(4).tolist()
    generator(1, "run", "b", 3).random(100)
    assert generator(1, "run", "a", 3).random(4).tolist() == alone
    assert generator(2, "run", "a", 3).random(4).tolist() != alone


def test_names_are_told_apart_wherever_they_are_cut() -> None:
    assert generator(1, "a", "bc").random() != generator(1, "ab", "c").random()


def test_ids_have_the_alphabet_and_length_of_the_tools() -> None:
    ids = [short_id(1, "sample", place) for place in range(200)]
    assert len(set(ids)) == 200
    assert {len(name) for name in ids} == {22}
    assert not set("".join(ids)) & set("01IlO")
    assert set(hex_id(1, "batch")) <= set("0123456789abcdef")
