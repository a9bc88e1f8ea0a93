"""A cache of keys and values in pages, as a server of many texts keeps it.

The pages of all texts lie in one array. A text has a table: which page holds its first tokens,
which the next ones (Kwon et al. 2023, "PagedAttention"; a page is a block there).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np


def slots(table: np.ndarray, positions: np.ndarray, page: int) -> np.ndarray:
    """Give the row of each token among the rows of all pages.

    table[t // page] · page + t mod page, as `slot_mapping` in vLLM.

    Parameters
    ----------
    table : (k,) of integers
        The pages of one text, in its order.
    positions : (...) of integers
        t, counted from 0.
    page : int
        How many tokens a page holds.

    Returns
    -------
    (...) of integers

    Raises
    ------
    ValueError
        If a position has no page.

    Examples
    --------
    >>> slots(np.array([7, 1]), np.arange(7), page=4)
    array([28, 29, 30, 31,  4,  5,  6])
    """
    positions = np.asarray(positions)
    if positions.size and not 0 <= positions.min() <= positions.max() < len(table) * page:
        raise ValueError(
            f"positions {positions.min()} to {positions.max()} are not all in {len(table)} pages"
            f" of {page}"
        )
    return table[positions // page] * page + positions % page


def write_pages(pages: np.ndarray, update: np.ndarray, table: np.ndarray, start: int) -> np.ndarray:
    """Write the rows of new tokens where the table sends them.

    A copy is returned; the pages that are passed in do not change.

    Parameters
    ----------
    pages : (..., num_pages, page, d)
        Keys or values of all texts.
    update : (..., n, d)
        Those of the new tokens of one text.
    table : (k,) of integers
    start : int
        How many tokens of this text came before.

    Returns
    -------
    (..., num_pages, page, d), of the pages' dtype

    Raises
    ------
    ValueError
        If shapes do not fit, or a new token has no page.

    Examples
    --------
    >>> pages = np.zeros((3, 2, 1))
    >>> write_pages(pages, np.array([[5.0], [6.0], [7.0]]), np.array([2, 0]), start=0)[..., 0]
    array([[7., 0.],
           [0., 0.],
           [5., 6.]])
    """
    if pages.shape[:-3] + pages.shape[-1:] != update.shape[:-2] + update.shape[-1:]:
        raise ValueError(
            f"pages {pages.shape} and update {update.shape} are not (..., num_pages, page, d) and"
            " (..., n, d)"
        )
    rows = _rows(pages).copy()
    rows[..., slots(table, start + np.arange(update.shape[-2]), pages.shape[-2]), :] = update
    return rows.reshape(pages.shape)


def gather_pages(pages: np.ndarray, table: np.ndarray, length: int) -> np.ndarray:
    """Collect the rows of one text, in its order.

    Parameters
    ----------
    pages : (..., num_pages, page, d)
    table : (k,) of integers
    length : int
        How many tokens the text has.

    Returns
    -------
    (..., length, d)

    Raises
    ------
    ValueError
        If the table has too few pages.

    Examples
    --------
    >>> pages = np.array([[[7.0], [0.0]], [[0.0], [0.0]], [[5.0], [6.0]]])
    >>> gather_pages(pages, np.array([2, 0]), length=3)[:, 0]
    array([5., 6., 7.])
    """
    return _rows(pages)[..., slots(table, np.arange(length), pages.shape[-2]), :]


def own_page(
    pages: np.ndarray, table: np.ndarray, users: np.ndarray, position: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give a text a page that no other text reads, before it writes at a position.

    Copy on write: if others use the page, too, the first free page gets its contents
    (Kwon et al. 2023, section 4.4).

    Parameters
    ----------
    pages : (..., num_pages, page, d)
    table : (k,) of integers
        Of the text that writes.
    users : (num_pages,) of integers
        How many tables contain each page; 0 is free.
    position : int

    Returns
    -------
    pages : (..., num_pages, page, d)
    table : (k,)
    users : (num_pages,)

    Raises
    ------
    ValueError
        If the position has no page, or no page is free.

    Examples
    --------
    >>> pages, table, users = np.array([[[5.0]], [[0.0]]]), np.array([0]), np.array([2, 0])
    >>> pages, table, users = own_page(pages, table, users, position=0)
    >>> table, users, pages[1]
    (array([1]), array([1, 1]), array([[5.]]))
    """
    page = pages.shape[-2]
    shared = slots(table, np.array(position), page) // page
    if users[shared] == 1:
        return pages, table, users
    if (users > 0).all():
        raise ValueError(f"none of {len(users)} pages is free")
    free = int(np.flatnonzero(users == 0)[0])
    pages, table, users = pages.copy(), table.copy(), users.copy()
    pages[..., free, :, :] = pages[..., shared, :, :]
    table[position // page] = free
    users[shared] -= 1
    users[free] = 1
    return pages, table, users


def page_keys(tokens: Sequence[int], page: int) -> list[tuple[Any, ...]]:
    """Name each full page by its tokens and by all tokens before it.

    Two texts may share a page if its names are equal: only then have its tokens read the same.
    vLLM keeps a hash of the name.

    Parameters
    ----------
    tokens : sequence of int
    page : int

    Returns
    -------
    list of (name of the page before, tokens); a last page that is not full has no name

    Examples
    --------
    >>> page_keys([3, 1, 4, 1, 5], page=2)
    [((), (3, 1)), (((), (3, 1)), (4, 1))]
    """
    names: list[tuple[Any, ...]] = []
    before: tuple[Any, ...] = ()
    for start in range(0, len(tokens) - page + 1, page):
        before = (before, tuple(tokens[start : start + page]))
        names.append(before)
    return names


def _rows(pages: np.ndarray) -> np.ndarray:
    """View the rows of all pages as one axis."""
    return pages.reshape(*pages.shape[:-3], -1, pages.shape[-1])
