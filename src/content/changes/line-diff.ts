/** Lines of unchanged text around a change. */
const CONTEXT = 3;
/** Lines that are removed and added between two texts. @operator If there are more, all between the first and the last change are replaced. */
const MAX_EDITS = 1_000;
/** Characters of a diff. @operator A longer one is cut after a line, and marked as truncated. */
const MAX_DIFF_LENGTH = 200_000;

/** Lines `from` to `to` of the old text, which lines of the new text replace. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** The unified diff of two texts, line by line, without the names of files. */
export function lineDiff(before: string, after: string): { readonly diff: string; readonly isCut: boolean } {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let diff = "";
  for (const hunk of hunksOf(editsOf(old, now))) {
    for (const line of hunkLines(hunk, old, now)) {
      if (diff.length + line.length >= MAX_DIFF_LENGTH) return { diff, isCut: true };
      diff += `${line}\n`;
    }
  }
  return { diff, isCut: false };
}

/** Edits whose unchanged lines touch or overlap are in one hunk. */
function hunksOf(edits: readonly Edit[]): Edit[][] {
  const hunks: Edit[][] = [];
  for (const edit of edits) {
    const last = hunks.at(-1);
    const end = last?.at(-1)?.to ?? Number.NEGATIVE_INFINITY;
    if (last !== undefined && edit.from - end <= 2 * CONTEXT) last.push(edit);
    else hunks.push([edit]);
  }
  return hunks;
}

function* hunkLines(edits: readonly Edit[], old: readonly string[], now: readonly string[]): Generator<string> {
  const [first, last] = [edits[0], edits.at(-1)];
  if (first === undefined || last === undefined) return;
  const from = Math.max(0, first.from - CONTEXT);
  const to = Math.min(old.length, last.to + CONTEXT);
  const newFrom = first.newFrom - (first.from - from);
  const newTo = last.newTo + (to - last.to);
  yield `@@ -${rangeOf(from, to)} +${rangeOf(newFrom, newTo)} @@`;
  let at = from;
  for (const edit of edits) {
    for (; at < edit.from; at += 1) yield ` ${old[at] ?? ""}`;
    for (; at < edit.to; at += 1) yield `-${old[at] ?? ""}`;
    for (let added = edit.newFrom; added < edit.newTo; added += 1) yield `+${now[added] ?? ""}`;
  }
  for (; at < to; at += 1) yield ` ${old[at] ?? ""}`;
}

/** The first line, counted from 1, and the number of lines. No lines are after the line before them. */
function rangeOf(from: number, to: number): string {
  return `${to > from ? from + 1 : from},${to - from}`;
}

function editsOf(old: readonly string[], now: readonly string[]): Edit[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let [oldEnd, newEnd] = [old.length, now.length];
  while (oldEnd > start && newEnd > start && old[oldEnd - 1] === now[newEnd - 1]) {
    oldEnd -= 1;
    newEnd -= 1;
  }
  if (start === oldEnd && start === newEnd) return [];
  const edits = shortestEdits(old.slice(start, oldEnd), now.slice(start, newEnd));
  if (edits === undefined) return [{ from: start, to: oldEnd, newFrom: start, newTo: newEnd }];
  return edits.map(({ from, to, newFrom, newTo }) => ({
    from: from + start,
    to: to + start,
    newFrom: newFrom + start,
    newTo: newTo + start,
  }));
}

/** The least edits by Myers' greedy algorithm, in time and memory of MAX_EDITS squared. Undefined if there are more. */
function shortestEdits(old: readonly string[], now: readonly string[]): Edit[] | undefined {
  // The furthest line of the old text that each number of edits reaches, by the lines that it is ahead of the new text.
  const reached: Int32Array[] = [];
  let last = new Int32Array(3).fill(-1);
  last[1] = 0;
  for (let edits = 0; edits <= MAX_EDITS; edits += 1) {
    const row = new Int32Array(2 * edits + 3).fill(-1);
    for (let ahead = -edits; ahead <= edits; ahead += 2) {
      const [removed, added] = [(last[ahead - 1 + edits] ?? -1) + 1, last[ahead + 1 + edits] ?? -1];
      let x = ahead === -edits || (ahead !== edits && removed <= added) ? added : removed;
      while (x < old.length && x - ahead < now.length && old[x] === now[x - ahead]) x += 1;
      row[ahead + edits + 1] = x;
      if (x >= old.length && x - ahead >= now.length) return editsBack(reached, old.length, now.length);
    }
    reached.push(row);
    last = row;
  }
  return undefined;
}

/** Walks back from the ends of both texts. */
function editsBack(reached: readonly Int32Array[], oldLength: number, newLength: number): Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [oldLength, newLength];
  for (let left = reached.length; left > 0; left -= 1) {
    const row = reached[left - 1] ?? new Int32Array();
    const ahead = x - y;
    const [removed, added] = [(row[ahead - 1 + left] ?? -1) + 1, row[ahead + 1 + left] ?? -1];
    const isAdded = ahead === -left || (ahead !== left && removed <= added);
    const [from, newFrom] = isAdded ? [added, added - ahead - 1] : [removed - 1, removed - ahead];
    const [to, newTo] = isAdded ? [from, newFrom + 1] : [from + 1, newFrom];
    const next = edits[0];
    if (next !== undefined && next.from === to && next.newFrom === newTo) {
      edits[0] = { from, to: next.to, newFrom, newTo: next.newTo };
    } else edits.unshift({ from, to, newFrom, newTo });
    [x, y] = [from, newFrom];
  }
  return edits;
}
