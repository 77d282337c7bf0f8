from __future__ import annotations

import pytest

from effspark.errors import LogError
from effspark.readers.configurations import configuration_of, host_of


def test_spelling_of_numbers_does_not_make_another_configuration() -> None:
    one, other = (
        configuration_of(request_model="m", temperature=temperature, output_budget_tokens=budget)
        for temperature, budget in ((1, 64.0), (1.0, 64))
    )
    assert one.config_id == other.config_id


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(LogError, match=r"provider_route: found \[1\].*; temperature: found 'hot'"):
        configuration_of(request_model="m", provider_route=[1], temperature="hot")


@pytest.mark.parametrize(
    "address", ["http://[::1/v1", "http://[x]/", "", None, "127.0.0.1:80", "http://LOCALHOST/"]
)
def test_an_address_without_a_host_names_none(address: str | None) -> None:
    assert host_of(address) is None
