import { type Steps } from "../../lib/slices.ts";
import { type Draft, type Report } from "./draft.ts";
import { GuardIndex, kindOf } from "./guards.ts";

/** The guards whose absence is a warning. */
const EXPECTED = ["price", "auth", "filter"] as const;

/** Warns about a route that has no price, authentication or filter, if the route above it has one. */
export function* checkGuards({ routes, wasm_filters, x402 }: Draft, report: Report): Steps<void> {
  const index = yield* GuardIndex.of({ routes, wasm_filters: wasm_filters ?? [], x402 });
  const expected = EXPECTED.filter((kind) => index.kinds.has(kind));
  for (const route of expected.length === 0 ? [] : index.routes) {
    yield;
    if (!route.forwards) continue;
    const own = [...route.guards].map(kindOf);
    const missing = expected.filter((kind) => !route.without.has(kind) && !own.includes(kind));
    const above = missing.length === 0 ? [] : index.above(route);
    const lost = missing.flatMap((kind) => {
      const from = above.find(({ guards }) => [...guards].some((guard) => kindOf(guard) === kind));
      return from === undefined ? [] : [{ kind, from }];
    });
    const [first] = lost;
    if (first === undefined) continue;
    const kinds = lost.map(({ kind }) => kind);
    const from = `routes[${first.from.index}] (${JSON.stringify(first.from.prefix)})`;
    report.warning(
      `routes[${route.index}]`,
      `has no ${kinds.join(", no ")}, unlike ${from} above it; if this is intended, add "without": ${JSON.stringify(kinds)}`,
    );
  }
}
