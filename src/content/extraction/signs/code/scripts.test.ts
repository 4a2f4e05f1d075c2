import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { patient } from "../../../../lib/testing/patience.ts";
import { signOfScripts } from "../../script-signs.ts";
import { parseTree } from "../../tree/tree.ts";
import { pageWith, SCRIPTS } from "./testing/scripts.ts";

// A busy machine is slow.
setDefaultTimeout(patient(30_000));

// With UPDATE_GOLDEN=1, writes the current signs to the file, for review in the diff.
const IS_UPDATE = process.env["UPDATE_GOLDEN"] === "1";
const FILE = join(import.meta.dir, "testdata", "scripts.txt");
const SOURCE = {
  engine: "static",
  body: "",
  contentType: "text/html; charset=utf-8",
  finalUrl: "https://site.test/news",
  statusCode: 200,
  headers: [],
  complete: true,
} as const;

test("scripts have the signs of the last reviewed version", async () => {
  const lines = SCRIPTS.map((script) => `${signOfScripts(parseTree(pageWith(script)), SOURCE, []) ?? "-"}: ${script}`);
  if (IS_UPDATE) await Bun.write(FILE, `${lines.join("\n")}\n`);
  expect(`${lines.join("\n")}\n`).toBe(await Bun.file(FILE).text());
});
