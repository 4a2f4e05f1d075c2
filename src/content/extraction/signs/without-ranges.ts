/** The code without the ranges from `start` up to but not including `end`. A range within another one changes nothing. */
export function withoutRanges(code: string, ranges: readonly (readonly [start: number, end: number])[]): string {
  let kept = "";
  let from = 0;
  for (const [start, end] of ranges.toSorted(([a], [b]) => a - b)) {
    if (start < from) continue;
    kept += code.slice(from, start);
    from = Math.max(start, end);
  }
  return kept + code.slice(from);
}
