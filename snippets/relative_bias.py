"""The learned bias by distance of T5."""

import numpy as np


def relative_bucket(
    distance: np.ndarray,
    num_buckets: int = 32,
    max_distance: int = 128,
    *,
    is_causal: bool = False,
) -> np.ndarray:
    """Give each distance its bucket: one for each short distance, and shared ones for long ones.

    Of b buckets for one direction, the first b / 2 hold one distance each. The others begin at
    (b / 2) (max_distance / (b / 2))^(i / (b / 2)), i = 0, 1, …; the last holds all from
    max_distance on, too (Raffel et al. 2020, section 2.1, and their code).

    Parameters
    ----------
    distance : (...), integers
        Position of the key minus position of the query.
    num_buckets : int
        Even; a multiple of 4 if not causal, since each direction has half of them.
    max_distance : int
        Above b / 2.
    is_causal : bool
        Only earlier keys are told apart; later ones are in bucket 0.

    Returns
    -------
    (...), integers from 0 on, below num_buckets

    Raises
    ------
    ValueError
        If num_buckets cannot be divided, or max_distance is too small.

    Examples
    --------
    >>> relative_bucket(np.array([-1000, -9, -8, -1, 0, 1, 8, 1000]))
    array([15,  8,  8,  1,  0, 17, 24, 31])
    """
    each = num_buckets if is_causal else num_buckets // 2
    single = each // 2
    if num_buckets % (2 if is_causal else 4) or not 0 < single < max_distance:
        raise ValueError(
            f"num_buckets {num_buckets} is not a multiple of {2 if is_causal else 4} above 0,"
            f" or max_distance {max_distance} not above {single}"
        )
    away = np.maximum(-distance, 0) if is_causal else np.abs(distance)
    far = np.log(np.maximum(away, single) / single) / np.log(max_distance / single)
    far = np.floor(far * (each - single) + 1e-6).astype(int)  # 64 begins a bucket, in any rounding
    bucket = np.where(away < single, away, np.minimum(single + far, each - 1))
    return bucket if is_causal else bucket + each * (distance > 0)
