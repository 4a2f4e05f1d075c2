import { isObject } from "../../lib/is-object.ts";
import { listAt } from "./diagnostic.ts";

export interface UpstreamReference {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** All keys of an unchecked configuration that name an upstream. Names that are empty or not strings are omitted. */
export function* upstreamReferences(raw: unknown): Generator<UpstreamReference> {
  for (const [i, route] of listAt(raw, ["routes"]).entries()) yield* referencesOf(route, i);
}

/** The references of a route, whose index is `i`. It has no generator: most of 10,000 routes have one (bench admin). */
export function referencesOf(route: unknown, i: number): readonly UpstreamReference[] {
  const found: UpstreamReference[] = [];
  if (!isObject(route)) return found;
  addName(route["upstream"], ["routes", i, "upstream"], found);
  if (Array.isArray(route["traffic_split"])) {
    for (const [j, share] of route["traffic_split"].entries()) {
      if (!isObject(share)) continue;
      addName(share["upstream"], ["routes", i, "traffic_split", j, "upstream"], found);
      addMirrors(share["mirrors"], ["routes", i, "traffic_split", j, "mirrors"], found);
    }
  }
  addName(route["mirror"], ["routes", i, "mirror"], found);
  addMirrors(route["mirrors"], ["routes", i, "mirrors"], found);
  return found;
}

function addMirrors(mirrors: unknown, path: UpstreamReference["path"], found: UpstreamReference[]): void {
  if (!Array.isArray(mirrors)) return;
  for (const [k, mirror] of mirrors.entries()) {
    if (isObject(mirror)) addName(mirror["upstream"], [...path, k, "upstream"], found);
  }
}

function addName(name: unknown, path: UpstreamReference["path"], found: UpstreamReference[]): void {
  if (typeof name === "string" && name !== "") found.push({ path, name });
}
