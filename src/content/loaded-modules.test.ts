import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { patient } from "../lib/testing/patience.ts";

// It starts a process.
setDefaultTimeout(patient(60_000));

const SERVICE = join(import.meta.dir, "service.ts");
const SCRIPT = `await import(${JSON.stringify(SERVICE)}); console.log(JSON.stringify(Object.keys(require.cache)));`;

test("a content service without OCR loads no code of extractions, which run in threads and processes", () => {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", SCRIPT]);
  expect(stderr.toString()).toBe("");
  const loaded = JSON.parse(stdout.toString()) as string[];
  expect(loaded).toContain(SERVICE);
  const unwanted = [
    "/content/ocr/",
    "/content/extraction/extract.ts",
    "/content/extractor/outcome-of.ts",
    "/content/documents/office/word/",
  ];
  expect(loaded.filter((path) => unwanted.some((part) => path.includes(part)))).toEqual([]);
});
