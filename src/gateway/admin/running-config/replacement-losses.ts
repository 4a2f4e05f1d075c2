import { type Steps } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { GuardIndex } from "../../config/guards.ts";

/** Lost routes that are named; the others are only counted. */
const MAX_NAMED = 5;

/** The parts that a whole configuration drops when it replaces another one: a file with only some parts may be meant as a change. */
export function* replacementLosses(before: Config, after: Config): Steps<Diagnostic[]> {
  const losses: Diagnostic[] = [];
  if (before.admin.enabled && !after.admin.enabled)
    losses.push({ path: "admin", message: "would close the admin interface" });
  const kept = new Set<string>();
  for (const route of (yield* GuardIndex.of(after)).routes) {
    yield;
    kept.add(nameOf(route));
  }
  const lost = new Set<string>();
  let count = 0;
  let paid = 0;
  for (const route of (yield* GuardIndex.of(before)).routes) {
    yield;
    const name = nameOf(route);
    if (kept.has(name)) continue;
    lost.add(name);
    count++;
    if (route.guards.has("price")) paid++;
  }
  // As many routes as before: the others have new names.
  if (count === 0 || after.routes.length >= before.routes.length) return losses;
  const names = [...lost].slice(0, MAX_NAMED).join(", ") + (lost.size > MAX_NAMED ? ", …" : "");
  const paidText = paid === 0 ? "" : `, ${paid} of them paid`;
  losses.push({
    path: "routes",
    message: `would drop ${count} of ${before.routes.length} routes${paidText}: ${names}`,
  });
  return losses;
}

function nameOf({ prefix, host }: { readonly prefix: string; readonly host: string }): string {
  return JSON.stringify(prefix) + (host === "" ? "" : ` of ${JSON.stringify(host)}`);
}
