/** Writes generated files: schema, references, client and console. With `--check`, fails if a file is stale. */
import { apiDocument } from "../src/content/api/api-document.ts";
import { listings } from "./reference/listings.ts";
import { publishedSchema } from "../src/gateway/config/json-schema.ts";
import { reference } from "./reference/config-reference.ts";
import { boundsReference } from "./bounds.ts";
import { clientBuild, formatted } from "./client-build.ts";
import { clientTypes } from "./client-types.ts";
import { cliOperations } from "./cli-operations.ts";
import { consoleBuild } from "./console-build.ts";
import { decisionsIndex } from "./decisions.ts";
import { errorReference } from "./error-reference.ts";

const root = new URL("../", import.meta.url);
const check = process.argv.includes("--check");
const clientSource = "src/client/operations.ts";
const callable = "src/cli/pay/operations.ts";
const listed = "config/listings.json";
const sources: readonly (readonly [path: string, text: string])[] = [
  ["turnpike.schema.json", `${JSON.stringify(publishedSchema(), undefined, 2)}\n`],
  ["docs/configuration.md", reference()],
  ["docs/errors.md", errorReference()],
  ["docs/decisions/README.md", await decisionsIndex()],
  ["docs/reference/bounds.md", await boundsReference()],
  [clientSource, formatted(clientSource, clientTypes(apiDocument("/")))],
  [callable, formatted(callable, cliOperations(apiDocument("/")))],
  [listed, formatted(listed, JSON.stringify(listings()))],
];

async function current(path: string): Promise<string> {
  const file = Bun.file(new URL(path, root));
  return (await file.exists()) ? file.text() : "";
}

const stale: string[] = [];

async function keep(files: typeof sources): Promise<void> {
  for (const [path, text] of files) {
    if ((await current(path)) === text) continue;
    stale.push(path);
    if (!check) await Bun.write(new URL(path, root), text);
  }
}

await keep(sources);
// The client is built from what was just written.
await keep(await clientBuild());
await keep(await consoleBuild());
if (check) {
  for (const path of stale) console.error(`${path} is stale: run 'node scripts/bun.mjs scripts/generate.ts'`);
  if (stale.length > 0) process.exit(1);
} else console.log(stale.length === 0 ? "nothing changed" : `written: ${stale.join(", ")}`);
