import { formatPath, listAt, valueAt } from "./finding.ts";

/** A place that names an upstream. */
export interface UpstreamReference {
  readonly path: readonly (string | number)[];
  readonly name: string;
}

/** Every place of a configuration's own value that names an upstream; names that are no text, or empty, are left out. */
export function* upstreamReferences(raw: unknown): Generator<UpstreamReference> {
  for (const [i, route] of listAt(raw, ["routes"]).entries()) {
    const places = [
      ["upstream"],
      ...[...listAt(route, ["traffic_split"]).keys()].map((j) => ["traffic_split", j, "upstream"]),
      ["mirror"],
    ];
    for (const place of places) {
      const name = valueAt(route, place);
      if (typeof name === "string" && name !== "") yield { path: ["routes", i, ...place], name };
    }
  }
}

/** The paths that name one upstream, as `routes[0].mirror`. */
export function referencesTo(raw: unknown, upstream: string): string[] {
  return [...upstreamReferences(raw)].filter(({ name }) => name === upstream).map(({ path }) => formatPath(path));
}
