"""A table as text of a markup language: Markdown, LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table in Markdown.

    >>> print(markdown(["a"], [["x|y"]]), end="")
    | a |
    | --- |
    | x\|y |
    """
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


_IN_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\n": " ",
}


def latex(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A table in LaTeX, with the rules of booktabs.

    >>> print(latex(["a_b"], [["50 %"]]), end="")
    \begin{tabular}{l}
    \toprule
    a\_b \\
    \midrule
    50 \% \\
    \bottomrule
    \end{tabular}
    """
    letters = str.maketrans(_IN_LATEX)
    head, *body = [" & ".join(cell.translate(letters) for cell in row) + " \\\\" for row in (names, *rows)]
    lines = [f"\\begin{{tabular}}{{{'l' * len(names)}}}", "\\toprule", head, "\\midrule", *body]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}"]) + "\n"
