import { type Steps } from "../../lib/slices.ts";
import { type RouteConfig } from "./config.ts";
import { type Draft, type Report } from "./draft.ts";
import { type GuardedRoute, GuardIndex, kindOf } from "./guards.ts";
import { isOperationReference, SOLD_OPERATIONS } from "./operation-schemas.ts";

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

/** The upstream that `turnpike start` connects to its content service. */
const CONTENT = "content";

/**
 * Warns about a route that serves operations of the content service free, although others have a price. A new version of
 * the program can have new operations, which a route such as `/` would give away.
 */
export function* checkOperations({ routes, wasm_filters, x402 }: Draft, report: Report): Steps<void> {
  const services = new Set(routes.filter(sellsOperation).map((route) => route?.upstream));
  if (services.size === 0) return;
  const index = yield* GuardIndex.of({ routes, wasm_filters: wasm_filters ?? [], x402 });
  for (const route of index.routes) {
    yield;
    if (!services.has(routes[route.index]?.upstream) || !isFree(route)) continue;
    const given = SOLD_OPERATIONS.filter((operation) => gives(index, route, operation)).map(({ path }) => path);
    if (given.length === 0) continue;
    report.warning(
      `routes[${route.index}]`,
      `serves ${given.join(", ")} free, and other operations have a price; give each a route with a price, or add "without": ["price"]`,
    );
  }
}

function sellsOperation(route: RouteConfig | undefined): boolean {
  if (route?.x402 === undefined || route.upstream === undefined) return false;
  if (route.body_schema !== undefined && isOperationReference(route.body_schema)) return true;
  return route.upstream === CONTENT && SOLD_OPERATIONS.some(({ path }) => path === route.path_prefix);
}

function isFree({ guards, without }: GuardedRoute): boolean {
  return !guards.has("price") && !guards.has("auth") && !without.has("price");
}

/** Whether a free route takes the requests of an operation, of which no route before it has a price. */
function gives(index: GuardIndex, route: GuardedRoute, operation: (typeof SOLD_OPERATIONS)[number]): boolean {
  if (route.methods.length > 0 && !route.methods.includes(operation.method)) return false;
  const takers = index.takers(route.host, operation.path);
  const at = takers.indexOf(route);
  return at >= 0 && !takers.slice(0, at).some(({ guards }) => guards.has("price"));
}
