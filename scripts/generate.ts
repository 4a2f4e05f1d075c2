/** Writes generated files: schema, references, types of the client, console, verdicts, readings. With `--check`, fails if a file is stale. */
import { fileURLToPath } from "node:url";
import { apiDocument } from "../src/content/api/api-document.ts";
import { listings } from "./reference/listings.ts";
import { publishedSchema } from "../src/gateway/config/json-schema.ts";
import { reference } from "./reference/config-reference.ts";
import { boundsReference } from "./bounds.ts";
import { clientTypes } from "./client-types.ts";
import { cliOperations } from "./cli-operations.ts";
import { pythonNetworks, pythonOperations, pythonTypes } from "./python-client.ts";
import { consoleBuild, payScripts } from "./console-build.ts";
import { readerRecord, READINGS_FILE } from "../bench/reader-record.ts";
import { marketRecord, RECORD_FILE } from "../bench/resolve/market-record.ts";
import { decisionsIndex } from "./decisions.ts";
import { errorReference } from "./error-reference.ts";

const root = new URL("../", import.meta.url);
const check = process.argv.includes("--check");
const clientSource = "src/client/operations.ts";
const callable = "src/cli/pay/operations.ts";
const python = "clients/python/turnpike_client";
const listed = "config/listings.json";
const sources: readonly (readonly [path: string, text: string])[] = [
  ["turnpike.schema.json", `${JSON.stringify(publishedSchema(), undefined, 2)}\n`],
  ["docs/configuration.md", reference()],
  ["docs/errors.md", errorReference()],
  ["docs/decisions/README.md", await decisionsIndex()],
  ["docs/reference/bounds.md", await boundsReference()],
  [clientSource, formatted(clientSource, clientTypes(apiDocument("/")))],
  [callable, formatted(callable, cliOperations(apiDocument("/")))],
  [`${python}/_networks.py`, pythonNetworks()],
  [`${python}/types.py`, pythonTypes(apiDocument("/"))],
  [`${python}/_operations.py`, pythonOperations(apiDocument("/"))],
  [listed, formatted(listed, JSON.stringify(listings()))],
  [RECORD_FILE, await marketRecord()],
  [READINGS_FILE, readerRecord()],
];

/** Formats a generated source as the rest of the code is. */
function formatted(path: string, text: string): string {
  const biome = fileURLToPath(new URL("node_modules/.bin/biome", root));
  const { exitCode, stdout, stderr } = Bun.spawnSync([biome, "format", `--stdin-file-path=${path}`], {
    cwd: fileURLToPath(root),
    stdin: Buffer.from(text),
  });
  if (exitCode !== 0) throw new Error(`Cannot format ${path}: ${stderr.toString()}`);
  return stdout.toString();
}

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
await keep(await consoleBuild());
await keep(await payScripts());
if (check) {
  for (const path of stale) console.error(`${path} is stale: run 'node scripts/bun.mjs scripts/generate.ts'`);
  if (stale.length > 0) process.exit(1);
} else console.log(stale.length === 0 ? "nothing changed" : `written: ${stale.join(", ")}`);
