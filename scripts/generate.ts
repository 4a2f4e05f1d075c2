/** Writes what is made from the configuration schema and the error table; with `--check`, fails where a file is stale instead. */
import { publishedSchema } from "../src/gateway/config/json-schema.ts";
import { reference } from "../src/gateway/config/reference.ts";
import { errorReference } from "./error-reference.ts";

const root = new URL("../", import.meta.url);
const generated: readonly (readonly [path: string, text: string])[] = [
  ["turnpike.schema.json", `${JSON.stringify(publishedSchema(), undefined, 2)}\n`],
  ["docs/configuration.md", reference()],
  ["docs/errors.md", errorReference()],
];

async function current(path: string): Promise<string> {
  const file = Bun.file(new URL(path, root));
  return (await file.exists()) ? file.text() : "";
}

const stale: string[] = [];
for (const [path, text] of generated) {
  if ((await current(path)) !== text) stale.push(path);
}
if (process.argv.includes("--check")) {
  for (const path of stale) console.error(`${path} is stale: run 'node scripts/bun.mjs scripts/generate.ts'`);
  if (stale.length > 0) process.exit(1);
} else {
  for (const [path, text] of generated) await Bun.write(new URL(path, root), text);
  console.log(stale.length === 0 ? "nothing changed" : `written: ${stale.join(", ")}`);
}
