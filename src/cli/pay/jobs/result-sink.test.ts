import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { smallDisk } from "../../../lib/testing/small-disk.ts";
import { refuseUsed, sinkAt } from "./result-sink.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-sink-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PAGE = { number: 1, url: "http://a.test/x", depth: 0, format: "markdown", content: "The page. ".repeat(4000) };

test.each(["pages", "lines.ndjson"])("a full disk leaves no part of a page in %s", async (name) => {
  using disk = smallDisk("64k");
  if (!disk.isMounted) return;
  const out = join(disk.path, name);
  const sink = sinkAt(out, false);
  const filler = disk.fill();
  // Room for a part of the page.
  writeFileSync(filler, Buffer.alloc(40_000));
  const file = name === "pages" ? join(out, "a.test_x.md") : out;
  expect(() => sink.put(PAGE)).toThrow(`Cannot write to "${file}": ENOSPC`);
  sink.close();
  rmSync(filler);
  const again = sinkAt(out, true);
  await again.put(PAGE);
  again.close();
  const lines = readFileSync(name === "pages" ? join(out, "index.ndjson") : out, "utf8")
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => JSON.parse(line).number)).toEqual([1]);
  if (name === "pages") expect(readdirSync(out).toSorted()).toEqual(["a.test_x.md", "index.ndjson"]);
});

test("results without a writable place are refused before they are paid for", () => {
  writeFileSync(join(folder, "file"), "");
  for (const out of [join(folder, "none", "lines.ndjson"), join(folder, "file", "pages")])
    expect(() => refuseUsed(out)).toThrow(`Cannot write to "${out}": `);
  refuseUsed(join(folder, "some", "new", "pages"));
});
