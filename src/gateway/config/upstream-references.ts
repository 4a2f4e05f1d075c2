import { formatPath, listAt, valueAt } from "./diagnostic.ts";

/** A place that names an upstream. */
export interface UpstreamReference {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** Every place of a configuration's own value that names an upstream; names that are no text, or empty, are left out. */
export function* upstreamReferences(raw: unknown): Generator<UpstreamReference> {
  for (const [i, route] of listAt(raw, ["routes"]).entries()) {
    yield* referenceAt(route, ["routes", i], "upstream");
    // Most routes have no other: a list of places for each of 10,000 took a tenth of a change (bench admin).
    for (const [j, share] of listAt(route, SPLIT).entries()) {
      yield* referenceAt(share, ["routes", i, "traffic_split", j], "upstream");
    }
    yield* referenceAt(route, ["routes", i], "mirror");
    for (const [j, mirror] of listAt(route, MIRRORS).entries()) {
      yield* referenceAt(mirror, ["routes", i, "mirrors", j], "upstream");
    }
  }
}

const SPLIT = ["traffic_split"];
const MIRRORS = ["mirrors"];

function referenceAt(holder: unknown, path: UpstreamReference["path"], key: string): readonly UpstreamReference[] {
  const name = valueAt(holder, [key]);
  return typeof name === "string" && name !== "" ? [{ path: [...path, key], name }] : [];
}

/** The paths that name one upstream, as `routes[0].mirror`. */
export function referencesTo(raw: unknown, upstream: string): string[] {
  return [...upstreamReferences(raw)].filter(({ name }) => name === upstream).map(({ path }) => formatPath(path));
}
