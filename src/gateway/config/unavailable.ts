import { isDeepStrictEqual } from "node:util";
import { describeFound, type Finding } from "./finding.ts";

/** A key of the configuration whose feature is not in this build. */
export interface Unavailable {
  /** As in the reference: `routes[].cache`. */
  readonly path: string;
  /** The value that asks for nothing, beside false, "", [] and {}. */
  readonly idle?: unknown;
  /** What ignoring the key would open; such a configuration is refused. Without it the key is ignored, and named. */
  readonly opens?: string;
}

/** Every key that is understood but not built yet. A feature that lands takes its line away. */
export const UNAVAILABLE: readonly Unavailable[] = [];

function asksForNothing(value: unknown, idle: unknown): boolean {
  if (value === undefined || value === false || value === "") return true;
  if (Array.isArray(value) && value.length === 0) return true;
  return idle !== undefined && isDeepStrictEqual(value, idle);
}

interface Place {
  readonly path: string;
  readonly value: unknown;
}

/** Every place of `value` that a pattern such as `routes[].cache` names. */
function places(value: unknown, pattern: string): Place[] {
  let found: Place[] = [{ path: "", value }];
  for (const part of pattern.split(".")) {
    const isList = part.endsWith("[]");
    const key = isList ? part.slice(0, -2) : part;
    found = found.flatMap((place) => {
      if (typeof place.value !== "object" || place.value === null || !Object.hasOwn(place.value, key)) return [];
      const path = place.path === "" ? key : `${place.path}.${key}`;
      const child: unknown = Reflect.get(place.value, key);
      if (!isList) return [{ path, value: child }];
      return Array.isArray(child) ? child.map((item: unknown, i) => ({ path: `${path}[${i}]`, value: item })) : [];
    });
  }
  return found;
}

/** What a configuration asks of this build that it cannot give: problems where ignoring it would open something. */
export function unavailableIn(raw: unknown): { problems: Finding[]; warnings: Finding[] } {
  const problems: Finding[] = [];
  const warnings: Finding[] = [];
  for (const { path: pattern, idle, opens } of UNAVAILABLE) {
    for (const { path, value } of places(raw, pattern)) {
      if (asksForNothing(value, idle)) continue;
      const what = typeof idle === "string" ? `${describeFound(path, value)} is not` : "not";
      if (opens === undefined) {
        const instead = typeof idle === "string" ? `${idle} is used` : "ignored";
        warnings.push({ path, message: `${what} available in this build; ${instead}` });
      } else {
        problems.push({ path, message: `${what} available in this build, and without it ${opens}` });
      }
    }
  }
  return { problems, warnings };
}
