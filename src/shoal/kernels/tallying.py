"""How many records of which rows some questions ask for; see :mod:`shoal.measure.queries.counting`.

``state`` and ``share`` have a row for each question and a column for each cell of all axes; ``shown`` has, of each row,
its cells. A row meets a question as far as all its cells do.
"""

from numba import njit


@njit(cache=True, nogil=True)
def tally(shown, size, group, weight, bucket, state, share, first, last, surely, possibly, likely):
    """Of each question from ``first`` to ``last - 1`` and each bucket of rows, how many records are asked for.

    ``weight`` is the share of the records of each group that is likely to count, of each question and group.
    """
    for question in range(first, last):
        for row in range(len(size)):
            met, part = 3, 1.0
            for axis in range(shown.shape[1]):
                cell = shown[row, axis]
                met &= state[question, cell]
                if met == 0:
                    break
                part *= share[question, cell]
            if met == 0:
                continue
            place = bucket[row]
            possibly[question, place] += size[row]
            likely[question, place] += size[row] * part * weight[question, group[row]]
            if met == 3:
                surely[question, place] += size[row]


@njit(cache=True, nogil=True)
def allot(shown, size, group, order, bucket, state, first, last, least, most, must, may):
    """Which records are those on which all parts agree, if rows come in this order, class by class.

    Of each class, ``least`` records that surely are asked for must be; others may be, up to ``most`` in all.
    """
    for question in range(first, last):
        of, due, room = -1, 0, 0
        for row in order:
            if group[row] != of:
                of = group[row]
                due, room = least[question, of], most[question, of] - least[question, of]
            met = 3
            for axis in range(shown.shape[1]):
                met &= state[question, shown[row, axis]]
                if met == 0:
                    break
            if met == 0:
                continue
            place = bucket[row]
            taken = min(due, size[row]) if met == 3 else 0
            due -= taken
            must[question, place] += taken
            taken = min(room, size[row] - taken)
            room -= taken
            may[question, place] += taken
