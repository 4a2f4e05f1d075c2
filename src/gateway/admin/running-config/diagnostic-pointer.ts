import { pointerTo } from "./json-difference.ts";

const PART = /\.?([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;

/** `routes[2].upstream`, as findings have it, as `["routes", 2, "upstream"]`. @internal */
export function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(PART)].map(([, name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (name ?? "") : String(JSON.parse(quoted));
  });
}

/** Where a finding lies in what was sent, which stands at `at` of the whole; undefined: it lies elsewhere. */
export function pointerOf(path: string, at: readonly (string | number)[]): string | undefined {
  const parts = parsePath(path);
  if (!at.every((part, i) => parts[i] === part)) return undefined;
  return pointerTo(parts.slice(at.length));
}
