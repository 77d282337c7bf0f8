"""Tables as Markdown and LaTeX: one cell a column whatever the text."""

from __future__ import annotations

from effspark.markup import latex, markdown


def test_a_bar_in_a_cell_opens_no_column() -> None:
    assert markdown(["a", "b"], [["x|y", ""]]).splitlines() == ["| a | b |", "| --- | --- |", r"| x\|y |  |"]


def test_letters_that_latex_reads_as_commands_are_shown() -> None:
    head, *_, row, _, _ = latex(["m_1", "n"], [["50 % & {x}~^\\", "#1\n$2"]]).splitlines()
    assert head == r"\begin{tabular}{ll}"
    assert row == (r"50 \% \& \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} & \#1 \$2 \\")
