/** The time that the admin interface needs for 10,000 routes: to list them, to add one, and to load them again. */
import { parseArgs } from "node:util";
import { measureLists } from "./admin/lists.ts";
import { measureReloads } from "./admin/reloads.ts";
import { type Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick } from "./support/options.ts";

const PARTS = [
  { name: "lists", measure: measureLists },
  { name: "reloads", measure: measureReloads },
];

/** Returns the exit code of `compare`. */
export async function runAdminBench(args: readonly string[]): Promise<number> {
  const bench = {
    name: "admin",
    usage: `usage: npm run bench -- admin [--only PART,...]\nparts: ${PARTS.map(({ name }) => name).join(", ")}`,
    tools: [],
    read: (given: readonly string[]) =>
      pick(PARTS, parseArgs({ args: [...given], options: { only: { type: "string" } } }).values.only),
    async measure(children: Children, parts: readonly (typeof PARTS)[number][]): Promise<void> {
      for (const part of parts) await part.measure(children);
    },
  };
  return await compare(bench, args);
}
