/** Finds the words of a page that are in its truth: by an alignment in order, then by a search for moved passages. */

/**
 * Lengths of runs, longest first. Runs that are unique on both sides within a range anchor the alignment of the rest.
 */
const SIZES = [6, 4, 3, 2, 1];
/** Ranges with at most this number of pairs are aligned exactly. */
const MAX_PAIRS = 60_000;
/** Words of a run by which moved passages are found. */
const MOVED = 4;

/** 1 for each word of `page` that is aligned with a word of `truth`; each word of the truth is used once. */
export function align(page: readonly number[], truth: readonly number[], first: Uint8Array): Uint8Array {
  const matched = new Uint8Array(page.length);
  const used = new Uint8Array(truth.length);
  // Visible words come before hidden ones, which often repeat them.
  const seen = indices(page.length, (at) => first[at] === 1);
  const rest = indices(page.length, (at) => first[at] === 0);
  for (const places of [seen, rest]) {
    const open = indices(truth.length, (at) => used[at] === 0);
    inOrder(places, open, { page, truth, matched, used });
    moved(places, { page, truth, matched, used });
  }
  return matched;
}

interface State {
  readonly page: readonly number[];
  readonly truth: readonly number[];
  readonly matched: Uint8Array;
  readonly used: Uint8Array;
}

function indices(length: number, test: (at: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at < length; at += 1) if (test(at)) found.push(at);
  return found;
}

function inOrder(left: readonly number[], right: readonly number[], state: State): void {
  const a = left.map((at) => state.page[at] ?? 0);
  const b = right.map((at) => state.truth[at] ?? 0);
  const mark = (i: number, j: number): void => {
    state.matched[left[i] ?? 0] = 1;
    state.used[right[j] ?? 0] = 1;
  };
  const work: [number, number, number, number, number][] = [[0, a.length, 0, b.length, 0]];
  for (let job = work.pop(); job !== undefined; job = work.pop()) {
    let [aFrom, aTo, bFrom, bTo] = job;
    let size = job[4];
    if (size > 0) {
      while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) mark(aFrom++, bFrom++);
      while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) mark(--aTo, --bTo);
    }
    if (aFrom === aTo || bFrom === bTo) continue;
    if ((aTo - aFrom) * (bTo - bFrom) <= MAX_PAIRS && size >= 2) {
      exact(a, b, [aFrom, aTo, bFrom, bTo], mark);
      continue;
    }
    for (; size < SIZES.length; size += 1) {
      const anchors = anchorsOf(a, b, [aFrom, aTo, bFrom, bTo], SIZES[size] ?? 1);
      if (anchors.length === 0) continue;
      let [i, j] = [aFrom, bFrom];
      for (const [x, y] of anchors) {
        if (x < i || y < j) continue;
        work.push([i, x, j, y, size + 1]);
        [i, j] = [x, y];
        while (i < aTo && j < bTo && a[i] === b[j]) mark(i++, j++);
      }
      work.push([i, aTo, j, bTo, size + 1]);
      break;
    }
  }
}

type Range = readonly [aFrom: number, aTo: number, bFrom: number, bTo: number];

/** Runs that are unique on both sides, as the longest chain that has the same order on both. */
function anchorsOf(
  a: readonly number[],
  b: readonly number[],
  [aFrom, aTo, bFrom, bTo]: Range,
  size: number,
): [number, number][] {
  const key = (of: readonly number[], at: number): string => of.slice(at, at + size).join();
  const inB = new Map<string, number>();
  for (let at = bFrom; at + size <= bTo; at += 1) inB.set(key(b, at), inB.has(key(b, at)) ? -1 : at);
  const inA = new Map<string, number>();
  for (let at = aFrom; at + size <= aTo; at += 1) {
    const run = key(a, at);
    if (inB.has(run)) inA.set(run, inA.has(run) ? -1 : at);
  }
  const pairs: [number, number][] = [];
  for (const [run, at] of inA) {
    const other = inB.get(run) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([at, other]);
  }
  pairs.sort(([x], [y]) => x - y);
  return longestRising(pairs);
}

function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, y]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < y) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = at;
  }
  const chain: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) chain.push(pair);
  }
  return chain.toReversed();
}

function exact(
  a: readonly number[],
  b: readonly number[],
  [aFrom, aTo, bFrom, bTo]: Range,
  mark: (i: number, j: number) => void,
): void {
  const width = bTo - bFrom + 1;
  const best = new Uint16Array((aTo - aFrom + 1) * width);
  for (let i = aTo - aFrom - 1; i >= 0; i -= 1) {
    for (let j = bTo - bFrom - 1; j >= 0; j -= 1) {
      best[i * width + j] =
        a[aFrom + i] === b[bFrom + j]
          ? (best[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
    }
  }
  for (let [i, j] = [0, 0]; i < aTo - aFrom && j < bTo - bFrom; ) {
    if (a[aFrom + i] === b[bFrom + j]) mark(aFrom + i++, bFrom + j++);
    else if ((best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
}

/** Passages that the truth has in another order: runs of words that are not aligned yet. */
function moved(places: readonly number[], { page, truth, matched, used }: State): void {
  const runs = new Map<string, number[]>();
  for (let at = 0; at + MOVED <= truth.length; at += 1) {
    let isOpen = true;
    for (let far = 0; far < MOVED; far += 1) isOpen &&= used[at + far] === 0;
    if (!isOpen) continue;
    const run = truth.slice(at, at + MOVED).join();
    const known = runs.get(run);
    if (known === undefined) runs.set(run, [at]);
    else known.push(at);
  }
  for (let at = 0; at + MOVED <= places.length; at += 1) {
    const own = places.slice(at, at + MOVED);
    if (own.some((place) => matched[place] === 1)) continue;
    const found = runs.get(own.map((place) => page[place] ?? 0).join());
    const to = found?.find((start) => used.slice(start, start + MOVED).every((one) => one === 0));
    if (to === undefined) continue;
    let [i, j] = [at, to];
    while (
      i < places.length &&
      j < truth.length &&
      used[j] === 0 &&
      matched[places[i] ?? 0] === 0 &&
      page[places[i] ?? 0] === truth[j]
    ) {
      matched[places[i] ?? 0] = 1;
      used[j] = 1;
      [i, j] = [i + 1, j + 1];
    }
    at = i - 1;
  }
}
