/** Bytes from `from` up to `to`, exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Most ranges in one request. For more the response is the whole file (RFC 9110 §14.2, reason in §17.15). */
const MAX_RANGES = 16;

/** Numbers of any length: some clients ask for `-9223372036854775807`, which is beyond the file's end. */
const SPEC = /^[\t ]*(?:(\d+)-(\d*)|-(\d+))[\t ]*$/;

/**
 * Evaluates a Range field for a file of `size` bytes (RFC 9110 §14.1.2). Returns the ranges in the order of the field,
 * `"whole"` if the field must be ignored, or `"unsatisfiable"` for a 416. Ranges that together exceed the file give
 * `"whole"`.
 */
export function parseRange(value: string, size: number): readonly ByteRange[] | "whole" | "unsatisfiable" {
  const unit = /^bytes=/i.exec(value);
  if (unit === null) return "whole";
  const specs = value.slice(unit[0].length).split(",", MAX_RANGES + 1);
  if (specs.length > MAX_RANGES) return "whole";
  const ranges: ByteRange[] = [];
  let total = 0;
  let asked = 0;
  for (const spec of specs) {
    // RFC 9110 §5.6.1.2: empty members of a list are ignored.
    if (/^[\t ]*$/.test(spec)) continue;
    asked++;
    const range = readSpec(spec, size);
    if (range === undefined) return "whole";
    if (range.to <= range.from) continue;
    total += range.to - range.from;
    ranges.push(range);
  }
  if (asked === 0) return "whole";
  if (ranges.length === 0) return "unsatisfiable";
  return ranges.length > 1 && total > size ? "whole" : ranges;
}

/** One range, cut to the file; an empty range cannot be satisfied. Undefined: malformed. */
function readSpec(spec: string, size: number): ByteRange | undefined {
  const match = SPEC.exec(spec);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (first === undefined) return { from: Math.max(size - Number(suffix), 0), to: size };
  const from = Number(first);
  if (last === undefined || last === "") return { from, to: size };
  if (Number(last) < from) return undefined;
  return { from, to: Math.min(Number(last) + 1, size) };
}
