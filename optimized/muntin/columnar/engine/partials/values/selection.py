"""Items in order: sorted, or the one of a rank; and the value of a rank among sorted runs."""

# An item of an array at an item of another is an array to pyright, so:
# pyright: reportArgumentType=false

from muntin.columnar.engine.kernel_language import Ints, inlined, outlined
from muntin.columnar.engine.timeline import U

MOST = (1 << 63) - 1
SMALL = 16
FEW_ITEMS = 8
"""Of runs that have fewer items, on average, all items are read."""


@inlined
def sort_few(items: Ints, begin: int, end: int) -> None:
    """Sort a few items."""
    for i in range(begin + 1, end):
        item, j = items[i], i
        while j > begin and items[j - 1] > item:
            items[j] = items[j - 1]
            j -= 1
        items[j] = item


@outlined
def sort_items(items: Ints, begin: int, end: int, spare: Ints) -> int:
    """Sort items by merging; the spare has room for all of them."""
    for low in range(begin, end, SMALL):
        sort_few(items, low, min(low + SMALL, end))
    size = SMALL
    while size < end - begin:
        for low in range(begin, end - size, 2 * size):
            middle, high = low + size, min(low + 2 * size, end)
            if items[middle - 1] <= items[middle]:
                continue
            for i in range(size):
                spare[i] = items[low + i]
            i, j, o = 0, middle, low
            while i < size and j < high:
                if items[j] < spare[i]:
                    items[o] = items[j]
                    j += 1
                else:
                    items[o] = spare[i]
                    i += 1
                o += 1
            while i < size:
                items[o] = spare[i]
                i, o = i + 1, o + 1
        size *= 2
    return 0


@outlined
def select_item(items: Ints, n: int, target: int) -> int:
    """Put the item of a rank to its place, no greater ones before it and no less ones behind."""
    low, high, turn = 0, n - 1, 1
    while high - low > SMALL:
        turn = turn * 0x5851F42D + 1 & 0x7FFFFFFF  # so that no order of items is the worst
        a, b, c = items[low + turn % (high - low)], items[(low + high) >> 1], items[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while items[i] < pivot:
                i += 1
            while items[j] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i, j = i + 1, j - 1
        if target <= j:
            high = j
        elif target >= i:
            low = i
        else:
            break
    else:
        sort_few(items, low, high + 1)
    selected: int = items[target]
    return selected


@inlined
def next_item(items: Ints, n: int, target: int, otherwise: int) -> int:
    """The least of the items behind that of a rank, or something else if there is none."""
    if target + 1 >= n:
        return otherwise
    least: int = items[target + 1]
    for i in range(target + 2, n):
        least = min(least, items[i])
    return least


@inlined
def first_beyond(items: Ints, low: int, high: int, pivot: int) -> int:
    """Where the sorted items between two places begin that are not less than a value."""
    n = high - low
    while n > 0:
        half = n >> 1
        if items[U(low + half)] < pivot:
            low, n = low + half + 1, n - half - 1
        else:
            n = half
    return low


@inlined
def first_above(items: Ints, low: int, high: int, pivot: int) -> int:
    """Where the sorted items between two places begin that are greater than a value."""
    return high if pivot == MOST else first_beyond(items, low, high, pivot + 1)


@inlined
def widest_run(bounds: Ints, runs: int) -> tuple[int, int, int]:
    """How many items all runs have, and the run that has most."""
    total = most = at = 0
    for run in range(runs):
        size = bounds[2 * run + 1] - bounds[2 * run]
        total += size
        if size > most:
            most, at = size, run
    return total, most, at


@inlined
def read_runs(items: Ints, bounds: Ints, runs: int, scratch: Ints) -> int:
    """Write the items of runs to the scratch; how many these are."""
    o = 0
    for run in range(runs):
        for i in range(bounds[2 * run], bounds[2 * run + 1]):
            scratch[o] = items[i]
            o += 1
    return o


@inlined
def count_runs(items: Ints, bounds: Ints, runs: int, pivot: int) -> tuple[int, int]:
    """How many items of runs are less than a value, and how many are equal to it."""
    less = same = 0
    for run in range(runs):
        first = first_beyond(items, bounds[2 * run], bounds[2 * run + 1], pivot)
        less += first - bounds[2 * run]
        same += first_above(items, first, bounds[2 * run + 1], pivot) - first
    return less, same


@outlined
def narrow_runs(
    items: Ints, bounds: Ints, runs: int, target: int, results: Ints, scratch: Ints
) -> int:
    """The results of a rank among all items of some sorted runs.

    What lies on the other side of one of them is left out, until few are left.
    """
    rest, above, has_above = target, 0, False
    while True:
        total, most, at = widest_run(bounds, runs)
        if total <= FEW_ITEMS * runs + SMALL:
            n = read_runs(items, bounds, runs, scratch)
            low = select_item(scratch, n, rest)
            results[0], results[1] = low, next_item(scratch, n, rest, above if has_above else low)
            return 0
        margin = most >> 3
        pivot = items[bounds[2 * at] + min(max(rest * most // total, margin), most - 1 - margin)]
        less, same = count_runs(items, bounds, runs, pivot)
        if less <= rest < less + same - 1:
            results[0] = results[1] = pivot
            return 0
        for run in range(runs):
            low, high = bounds[2 * run], bounds[2 * run + 1]
            if rest < less:
                bounds[2 * run + 1] = first_beyond(items, low, high, pivot)
            else:
                bounds[2 * run] = first_above(items, low, high, pivot)
        if rest < less:
            above, has_above = pivot, True
        elif rest >= less + same:
            rest -= less + same
        else:  # it is the last of its value: what follows is the least of all that are greater
            n = 0
            for run in range(runs):
                if bounds[2 * run] < bounds[2 * run + 1]:
                    scratch[n] = items[bounds[2 * run]]
                    n += 1
            results[0] = pivot
            results[1] = next_item(scratch, n, -1, above if has_above else pivot)
            return 0
