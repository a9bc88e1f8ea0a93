"""What a reader should know before attention: statistics, slopes, and how training goes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from figures import style as st

Array = npt.NDArray[np.float64]


class Axes(NamedTuple):
    """A plane: the corners of the box on the page, and the ranges that fill it."""

    left: float
    right: float
    top: float
    bottom: float
    x: tuple[float, float]
    y: tuple[float, float]

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point lies on the page."""
        return (
            float(np.interp(x, self.x, (self.left, self.right))),
            float(np.interp(y, self.y, (self.bottom, self.top))),
        )

    def curve(self, x: Array, y: Array) -> str:
        """Return path data through points."""
        return st.polyline([self.place(a, b) for a, b in zip(x, y, strict=True)])

    def frame(self, ticks_x: tuple[float, ...] = (), ticks_y: tuple[float, ...] = ()) -> list[str]:
        """Draw the two axes where they are 0, or at the edge, with numbers along them."""
        x0, y0 = self.place(max(self.x[0], 0), max(self.y[0], 0))
        return [
            st.path(f"M{self.left:g} {st.num(y0)}H{self.right:g}"),
            st.path(f"M{st.num(x0)} {self.top:g}V{self.bottom:g}"),
            *(
                st.text(self.place(tick, 0)[0], y0 + 18, _signed(tick), anchor="middle", **FAINT)
                for tick in ticks_x
            ),
            *(
                st.text(x0 - 8, self.place(0, tick)[1] + 5, _signed(tick), anchor="end", **FAINT)
                for tick in ticks_y
            ),
        ]


FAINT: dict[str, Any] = {"cls": "vk-muted", "size": 13}


def _signed(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def exp_data() -> dict[str, Any]:
    """Return the exponential and the logarithm."""
    x, y = np.linspace(-3, 2, 61), np.geomspace(0.05, 7.4, 61)
    return {"x": x, "exp": np.exp(x), "y": y, "log": np.log(y)}


def draw_exp(data: Mapping[str, Any]) -> str:
    """Draw both curves side by side: never below 0, and what undoes it."""
    one = Axes(20, 220, 40, 220, (-3, 2), (-1, 8))
    two = Axes(270, 470, 40, 220, (0, 8), (-3, 2.5))
    parts = [
        st.text(20, 20, "exp($x$): above 0 everywhere", size=st.SMALL),
        *one.frame((-2, 1, 2), (2, 4, 6)),
        st.path(one.curve(data["x"], data["exp"]), cls="petrol", width=2.5),
        st.dot(*one.place(0, 1), 4, "petrol"),
        st.text(one.place(0, 1)[0] - 28, one.place(0, 1)[1] - 14, "exp(0) = 1", anchor="end"),
        st.text(270, 20, "log($x$): undoes it", size=st.SMALL),
        *two.frame((2, 4, 6, 8), (-2, 2)),
        st.path(two.curve(data["y"], data["log"]), cls="rose", width=2.5),
        st.dot(*two.place(1, 0), 4, "rose"),
        st.text(two.place(1, 0)[0] + 14, two.place(1, 0)[1] + 44, "log(1) = 0"),
    ]
    return st.figure_svg(
        "exp-and-log",
        "Exponential and logarithm",
        "Left, the curve of exp: near 0 on the left, 1 at 0, rising ever faster, never below 0."
        " Right, the curve of log: far below 0 for small numbers, 0 at 1, rising ever more slowly.",
        236,
        parts,
        left=20,
        right=475,
    )


_RNG = np.random.default_rng(0)
DRAWS = _RNG.standard_normal(10_000)
ROLLS = _RNG.integers(1, 7, size=10_000)  # after the draws, as in the note


def normal_data(draws: Any = DRAWS) -> dict[str, Any]:
    """Return draws from the standard normal distribution, counted in bins."""
    edges = np.linspace(-4, 4, 33)
    return {
        "edges": edges,
        "counts": np.histogram(draws, edges)[0].astype(float),
        "within": float(np.mean(np.abs(draws) < 1)),
    }


#: The largest count of the published draws. A reader's edit keeps this scale if its counts fit.
LARGEST_COUNT = 1016.0


def draw_normal(data: Mapping[str, Any]) -> str:
    """Bars, the mean and one standard deviation to either side of it."""
    edges, counts = data["edges"], data["counts"]
    axes = Axes(30, 508, 60, 230, (-4, 4), (0, max(LARGEST_COUNT, float(counts.max()))))
    width = (axes.right - axes.left) / len(counts)
    parts = []
    for left, count in zip(edges[:-1], counts, strict=True):
        x, y = axes.place(left, count)
        inside = -1 <= left < 1
        parts.append(
            st.rect(
                x + 0.5,
                y,
                width - 1,
                axes.bottom - y,
                cls="vk-petrol" if inside else "vk-input",
                opacity=0.7 if inside else 0.35,
                radius=1,
            )
        )
    (low, _), (mean, _), (high, _) = (axes.place(t, 0) for t in (-1, 0, 1))
    parts += [
        st.path(f"M{axes.left:g} {axes.bottom:g}H{axes.right:g}"),
        *(
            st.text(axes.place(t, 0)[0], axes.bottom + 18, _signed(t), anchor="middle", **FAINT)
            for t in (-3, -2, -1, 0, 1, 2, 3)
        ),
        st.path(f"M{st.num(mean)} 40V{axes.bottom:g}", cls="fg", width=1.5),
        st.text(mean, 32, "mean", anchor="middle"),
        st.arrow([(mean, 50), (low, 50)], "fg"),
        st.arrow([(mean, 50), (high, 50)], "fg"),
        st.text(high + 10, 55, "one standard deviation", size=st.SMALL),
        st.text(
            low - 10, 95, f"{data['within']:.0%} lie here", anchor="end", cls="vk-petrol", bold=True
        ),
    ]
    return st.figure_svg(
        "normal-distribution",
        "Standard normal distribution",
        "A histogram of draws from the standard normal distribution, highest at the mean, 0, and"
        f" falling equally on both sides. {data['within']:.0%} lie within one standard deviation"
        " of the mean.",
        262,
        parts,
        left=30,
    )


def expectation_data(rolls: Any = ROLLS) -> dict[str, Any]:
    """Return the mean of the first rolls of a die, for ever more rolls."""
    counts = np.unique(np.geomspace(1, len(rolls), 120).astype(int))
    return {
        "counts": counts,
        "means": (np.cumsum(rolls) / np.arange(1, len(rolls) + 1))[counts - 1],
    }


def draw_expectation(data: Mapping[str, Any]) -> str:
    """Draw the running mean on its way to the expectation."""
    axes = Axes(44, 484, 30, 210, (0, 4), (1, 6))
    level = axes.place(0, 3.5)[1]
    parts = [
        st.path(f"M{axes.left:g} {axes.bottom:g}H{axes.right:g}"),
        st.path(f"M{axes.left:g} {axes.top:g}V{axes.bottom:g}"),
        *(
            st.text(axes.place(e, 0)[0], axes.bottom + 18, f"{10**e:,}", anchor="middle", **FAINT)
            for e in range(5)
        ),
        *(
            st.text(axes.left - 8, axes.place(0, t)[1] + 5, str(t), anchor="end", **FAINT)
            for t in range(1, 7)
        ),
        st.path(f"M{axes.left:g} {st.num(level)}H{axes.right:g}", cls="fg", width=1.25),
        st.text(axes.right, level - 10, "expectation 3.5", anchor="end"),
        st.path(axes.curve(np.log10(data["counts"]), data["means"]), cls="petrol", width=2),
        st.text(axes.left, 18, "mean so far", cls="vk-petrol"),
        st.text(axes.right, axes.bottom + 40, "rolls of a die", anchor="end", cls="vk-muted"),
    ]
    return st.figure_svg(
        "expectation",
        "Expectation",
        "The mean of the first rolls of a die, from one roll to ten thousand. It jumps about at"
        " first and settles at the expectation, 3.5.",
        262,
        parts,
        left=28.9,
    )


def independence_data() -> dict[str, Any]:
    """Return pairs of draws: independent ones, and ones that share a part."""
    x, y = np.random.default_rng(0).standard_normal((2, 300))
    return {"x": x, "independent": y, "dependent": (2 * x + y) / np.sqrt(5)}


def draw_independence(data: Mapping[str, Any]) -> str:
    """Draw two clouds: a round one, and a slanting one."""
    parts = []
    for left, name, words in (
        (20, "independent", "independent: $x$ tells"),
        (298, "dependent", "dependent: $x$ tells"),
    ):
        axes = Axes(left, left + 200, 60, 260, (-3, 3), (-3, 3))
        end = "nothing about $y$" if name == "independent" else "much about $y$"
        parts += [
            st.text(left, 20, words, size=15),
            st.text(left, 40, end, size=15),
            *axes.frame(),
            st.text(axes.right, axes.place(0, 0)[1] + 18, "$x$", anchor="end"),
            st.text(axes.place(0, 0)[0] + 8, axes.top + 10, "$y$"),
        ]
        parts += [
            st.dot(*axes.place(a, b), 2, "petrol" if name == "independent" else "rose")
            for a, b in zip(data["x"], data[name], strict=True)
            if max(abs(a), abs(b)) < 3
        ]
    return st.figure_svg(
        "independence",
        "Independence",
        "Two clouds of points. Left, independent numbers: a round cloud, y spreads equally for"
        " every x. Right, dependent ones: a slanting cloud, in which y is likely to be large where"
        " x is large.",
        272,
        parts,
        left=20,
    )


def gradient_data() -> dict[str, Any]:
    """Return a parabola and its slope at one place, by nudging."""
    x, at, epsilon = np.linspace(-1, 4.2, 53), 3.0, 1.0
    slope = ((at + epsilon) ** 2 - (at - epsilon) ** 2) / (2 * epsilon)
    return {"x": x, "y": x**2, "at": at, "epsilon": epsilon, "slope": slope}


def draw_gradient(data: Mapping[str, Any]) -> str:
    """Draw the curve, two neighbours of a point, and the slope of the line through them."""
    at, epsilon, slope = data["at"], data["epsilon"], data["slope"]
    axes = Axes(40, 518, 20, 260, (-1, 4.4), (0, 18))
    low, high = axes.place(at - epsilon, (at - epsilon) ** 2), axes.place(at + epsilon, 16)
    corner = (high[0], low[1])
    parts = [
        *axes.frame((1, 2, 3, 4), (5, 10, 15)),
        st.path(axes.curve(data["x"], data["y"]), cls="input", width=2.5),
        st.path(st.polyline([low, high]), cls="petrol", width=2),
        st.path(st.polyline([low, corner, high]), cls="muted", more=' stroke-dasharray="4 4"'),
        st.dot(*low, 4, "petrol"),
        st.dot(*high, 4, "petrol"),
        st.dot(*axes.place(at, at**2), 5, "fg"),
        st.text((low[0] + corner[0]) / 2, corner[1] + 20, f"{2 * epsilon:g}", anchor="middle"),
        st.text(corner[0] + 10, (corner[1] + high[1]) / 2 + 5, f"{2 * epsilon * slope:g}"),
        st.text(axes.place(0.3, 0)[0], 70, "$f$($x$) = $x^2$", cls="vk-input"),
        st.text(
            axes.place(0.3, 0)[0],
            96,
            f"slope at {at:g}: {2 * epsilon * slope:g} ÷ {2 * epsilon:g} = {slope:g}",
            cls="vk-petrol",
        ),
    ]
    return st.figure_svg(
        "gradient",
        "A slope by nudging",
        f"The curve of x squared and the point x = {at:g}. A line joins the curve's points one step"
        f" to the left and one to the right: it rises {2 * epsilon * slope:g} over a width of"
        f" {2 * epsilon:g}, a slope of {slope:g}.",
        290,
        parts,
        left=40,
    )


def jacobian_data() -> dict[str, Any]:
    """Return the point and the Jacobian of (x1 x2, x1 + x2)."""
    x = np.array([2.0, 3.0])
    return {"x": x, "J": np.array([[x[1], x[0]], [1.0, 1.0]])}


def draw_jacobian(data: Mapping[str, Any]) -> str:
    """Draw a line from each input to each output, as wide as its slope."""
    x, J = data["x"], data["J"]
    levels, left, right = (36, 146), 130, 430
    parts = []
    for i in range(2):
        for j in range(2):
            parts.append(
                st.path(
                    f"M{left} {levels[j]}L{right} {levels[i]}", cls="petrol", width=1.5 * J[i, j]
                )
            )
            share = 0.24
            parts.append(
                st.text(
                    right + share * (left - right),
                    levels[i] + share * (levels[j] - levels[i]) + (-9 if i == 0 else 21),
                    f"{J[i, j]:g}",
                    anchor="middle",
                    bold=True,
                )
            )
    for j in range(2):
        parts += [
            st.dot(left, levels[j], 7, "input"),
            st.text(left - 16, levels[j] + 5, f"$x_{j + 1}$ = {x[j]:g}", anchor="end"),
        ]
    for i, words in enumerate(("$y_1$ = $x_1x_2$", "$y_2$ = $x_1$ + $x_2$")):
        parts += [
            st.dot(right, levels[i], 7, "rose"),
            st.text(right + 16, levels[i] + 5, words),
        ]
    return st.figure_svg(
        "jacobian",
        "Jacobian",
        "Two inputs, two outputs, and a line from each input to each output, labelled with the"
        f" slope: the first output moves by {J[0, 0]:g} and {J[0, 1]:g} for each unit of"
        f" the inputs, the second by {J[1, 0]:g} and {J[1, 1]:g}.",
        184,
        parts,
        left=73.8,
        right=544,
    )


def loss_data() -> dict[str, Any]:
    """Return −log p, and three places on it."""
    p = np.linspace(0.02, 1, 99)
    at = np.array([0.1, 0.5, 0.9])
    return {"p": p, "loss": -np.log(p), "at": at, "at_loss": -np.log(at)}


def draw_loss(data: Mapping[str, Any]) -> str:
    """Draw the loss of a probability: 0 if sure and right, large if sure and wrong."""
    axes = Axes(44, 455, 24, 220, (0, 1.05), (0, 4))
    parts = [
        *axes.frame((0.5, 1), (1, 2, 3)),
        st.path(axes.curve(data["p"], data["loss"]), cls="petrol", width=2.5),
        st.text(axes.left + 44, 34, "loss −log($p$)", cls="vk-petrol"),
        st.text(
            axes.right, axes.bottom + 40, "$p$, the probability given to the right answer",
            anchor="end", cls="vk-muted",
        ),
    ]  # fmt: skip
    for p, loss in zip(data["at"], data["at_loss"], strict=True):
        x, y = axes.place(p, loss)
        parts += [
            st.dot(x, y, 4.5, "petrol"),
            st.text(x + 10, y - 8, f"$p$ = {p:g}: {loss:.2f}", size=st.SMALL),
        ]
    return st.figure_svg(
        "loss",
        "A loss",
        "The curve of −log p over the probability p of the right answer: "
        + ", ".join(
            f"{loss:.2f} at p = {p:g}" for p, loss in zip(data["at"], data["at_loss"], strict=True)
        )
        + ", 0 at 1.",
        268,
        parts,
        left=28.9,
        right=489.5,
    )


INPUTS, TARGETS = np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])


def training_data(
    inputs: Any = INPUTS, targets: Any = TARGETS, learning_rate: float = 0.05
) -> dict[str, Any]:
    """Return a loss over its one parameter, and the steps that training takes on it."""
    x, y, w, rate, steps = inputs, targets, 0.0, learning_rate, []
    for _ in range(6):
        steps.append(w)
        w -= rate * float(np.mean(2 * (w * x - y) * x))
    grid = np.linspace(-0.3, 4.3, 93)

    def loss(w: Array) -> Array:
        return np.asarray(np.mean((w[:, None] * x - y) ** 2, axis=1))

    return {
        "w": grid,
        "loss": loss(grid),
        "steps": np.array(steps),
        "losses": loss(np.array(steps)),
    }


def draw_training(data: Mapping[str, Any]) -> str:
    """Draw a valley, and the steps down into it."""
    axes = Axes(44, 522, 24, 230, (-0.4, 4.4), (0, 26))
    points = [axes.place(w, at) for w, at in zip(data["steps"], data["losses"], strict=True)]
    parts = [
        *axes.frame((1, 2, 3, 4), (5, 10, 15)),
        st.path(axes.curve(data["w"], data["loss"]), cls="input", width=2.5),
        *(st.arrow([a, b], "petrol", 1.5) for a, b in pairwise(points)
          if np.hypot(a[0] - b[0], a[1] - b[1]) > 12),
        *(st.dot(x, y, 4.5, "petrol") for x, y in points),
        st.text(points[0][0] + 14, points[0][1] + 2, "start", cls="vk-petrol"),
        st.text(axes.left + 180, 44, "the loss for every $w$", cls="vk-input"),
        st.text(axes.right, axes.bottom + 42, "$w$, the parameter", anchor="end", cls="vk-muted"),
    ]  # fmt: skip
    return st.figure_svg(
        "training",
        "A training loop",
        "A valley, the loss for every value of the parameter w, lowest at w = 2. Six dots go down"
        f" its left side from w = 0 in ever shorter steps; the last is at {data['steps'][-1]:.2f}.",
        280,
        parts,
        left=44,
    )
