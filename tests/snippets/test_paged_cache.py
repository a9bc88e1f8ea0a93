"""Held to the examples of the paper (figures 6 and 8) and of vLLM's design notes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from snippets.attention import scaled_dot_product_attention
from snippets.paged_cache import gather_pages, own_page, page_keys, slots, write_pages

rng = np.random.default_rng(0)


def test_the_table_of_figure_6():
    """Kwon et al. 2023: seven tokens in pages 7 and 1, the eighth beside them, the ninth in 3."""
    places = slots(np.array([7, 1, 3]), np.arange(9), page=4)
    assert_array_equal(places, [28, 29, 30, 31, 4, 5, 6, 7, 12])


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("page", [1, 4, 16])
def test_any_table_gives_what_one_array_gives(page, dtype, batch):
    n, num_pages = 13, 20
    q, k, v = rng.normal(size=(3, *batch, n, 4)).astype(dtype)
    table = rng.permutation(num_pages)[: -(-n // page)]
    pools = [np.full((*batch, num_pages, page, 4), np.nan, dtype)] * 2
    for start, end in [(0, 6), (6, 7), (7, n)]:  # a prompt, then one token, then several
        pools = [
            write_pages(pool, x[..., start:end, :], table, start)
            for pool, x in zip(pools, (k, v), strict=True)
        ]
    read = [gather_pages(pool, table, n) for pool in pools]
    assert_array_equal(read, [k, v])
    wanted = scaled_dot_product_attention(q, k, v, is_causal=True)
    found = scaled_dot_product_attention(q, *read, is_causal=True)
    assert found.dtype == dtype
    assert_array_equal(found, wanted)


def test_texts_do_not_meet():
    tables = np.split(rng.permutation(12), 3)
    texts = rng.normal(size=(3, 4 * 5, 2))
    pages = np.zeros((12, 5, 2))
    for t in range(20):
        for table, text in zip(tables, texts, strict=True):
            pages = write_pages(pages, text[t : t + 1], table, t)
    for table, text in zip(tables, texts, strict=True):
        assert_array_equal(gather_pages(pages, table, 20), text)


def test_the_pages_that_are_passed_in_stay():
    pages, users = np.zeros((2, 2, 1)), np.array([2, 0])
    write_pages(pages, np.ones((1, 1)), np.array([0]), 0)
    table = np.array([0])
    own_page(pages, table, users, 1)
    assert_array_equal(pages, 0)
    assert_array_equal([*table, *users], [0, 2, 0])


def test_copy_on_write_as_in_figure_8():
    """The first writer gets page 3, the second is alone in page 1 and keeps it."""
    rows = rng.normal(size=(9, 2))
    users = np.array([1, 2, 1, 0, 0, 0, 0, 2, 0])  # pages 0 and 2 belong to other texts
    pages = write_pages(np.zeros((9, 4, 2)), rows[:7], np.array([7, 1]), 0)
    tables = [np.array([7, 1])] * 2
    for i in (0, 1):
        pages, tables[i], users = own_page(pages, tables[i], users, 7)
        pages = write_pages(pages, rows[7 + i : 8 + i], tables[i], 7)
    assert_array_equal(tables, [[7, 3], [7, 1]])
    assert_array_equal(users, [1, 1, 1, 1, 0, 0, 0, 2, 0])
    for i in (0, 1):
        assert_array_equal(gather_pages(pages, tables[i], 8), [*rows[:7], rows[7 + i]])


def test_prefixes_as_in_the_design_notes_of_vllm():
    """Pages of four; 14 tokens whose first 10 are known find two pages, 29 with 12 find three."""
    first = list(range(15))
    known = dict(zip(page_keys(first, 4), range(3), strict=True))
    for same, length, pages in [(10, 14, [0, 1]), (12, 29, [0, 1, 2]), (15, 15, [0, 1, 2])]:
        prompt = first[:same] + list(range(100, 100 + length - same))
        keys = page_keys(prompt, 4)
        assert len(keys) == length // 4
        assert [known[key] for key in keys if key in known] == pages


def test_a_name_holds_all_tokens_before():
    keys = page_keys([1, 2, 3, 4], 2), page_keys([9, 2, 3, 4], 2)
    assert keys[0][1][1] == keys[1][1][1] == (3, 4)
    assert keys[0][1] != keys[1][1]
    assert page_keys([1], 2) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: slots(np.array([5]), np.array([4]), 4), "positions 4 to 4 are not all in 1 pages"),
        (lambda: slots(np.array([5]), np.array([-1]), 4), "positions -1 to -1 are not"),
        (
            lambda: write_pages(np.zeros((3, 4, 2)), np.zeros((1, 3)), np.array([0]), 0),
            r"pages \(3, 4, 2\) and update \(1, 3\) are not",
        ),
        (
            lambda: write_pages(np.zeros((3, 4, 2)), np.zeros((2, 2)), np.array([0]), 3),
            "positions 3 to 4 are not all in 1 pages of 4",
        ),
        (lambda: gather_pages(np.zeros((3, 4, 2)), np.array([0]), 5), "positions 0 to 4 are not"),
        (
            lambda: own_page(np.zeros((1, 2, 2)), np.array([0]), np.array([2]), 0),
            "none of 1 pages is free",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
