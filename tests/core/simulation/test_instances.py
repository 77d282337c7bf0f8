from __future__ import annotations

import re

import pytest

from effspark.simulation.instances import CHAINS, CLUSTER_SIZE, GSM8K, MEAN_WORK, WORK, drawn


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_solutions_of_word_problems_are_right_and_as_long_as_their_work(seed: int) -> None:
    for item in drawn(GSM8K, 120, seed=seed):
        lines = item.solution.splitlines()
        assert lines[-1] == f"#### {item.gold}"
        assert len(lines) - 1 == item.work
        total = int(re.findall(r"has (\d+)", item.question)[0])
        for line in lines[:-1]:
            left, right = re.findall(r"<<(.+)=(\d+)>>", line)[0]
            terms = [int(term) for term in re.findall(r"[+-]?\d+", left)]
            assert terms[0] == total
            total = sum(terms)
            assert total == int(right)
        assert 1 <= total == int(item.gold) <= 999


def test_questions_of_word_problems_add_up_to_the_gold_answer() -> None:
    for item in drawn(GSM8K, 60, seed=4):
        total = int(re.findall(r"has (\d+)", item.question)[0])
        total += sum(int(n) for n in re.findall(r"(?:gets|finds) (\d+)", item.question))
        total -= sum(int(n) for n in re.findall(r"gives away (\d+)", item.question))
        assert str(total) == item.gold


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_following_a_chain_ends_at_its_gold_answer(seed: int) -> None:
    for item in drawn(CHAINS, 120, seed=seed):
        leads = dict(re.findall(r"(\w+) leads to (\w+)", item.question))
        here = re.findall(r"Start at (\w+)", item.question)[0]
        for _ in range(item.work):
            here = leads[here]
        assert here == item.gold
        assert f"follow {item.work} links" in item.question


@pytest.mark.parametrize("benchmark", [GSM8K, CHAINS])
def test_questions_are_unique_and_work_takes_every_value_about_equally_often(benchmark: str) -> None:
    items = drawn(benchmark, 120, seed=1)
    assert len({item.question for item in items}) == 120
    counts = [sum(item.work == value for item in items) for value in WORK[benchmark]]
    assert max(counts) - min(counts) <= 1
    assert sum(WORK[benchmark]) / len(WORK[benchmark]) == MEAN_WORK[benchmark]


def test_names_are_those_of_the_items_file_and_clusters_hold_neighbours() -> None:
    assert [item.name for item in drawn(GSM8K, 3, seed=1)] == ["0", "1", "2"]
    chains = drawn(CHAINS, 13, seed=1)
    assert chains[12].name == "chain-012"
    assert [item.cluster for item in chains].count("family-00") == CLUSTER_SIZE
