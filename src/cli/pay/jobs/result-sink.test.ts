import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { refuseUsed, sinkAt } from "./result-sink.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-sink-"));
const disk = join(folder, "disk");
mkdirSync(disk);
const canMount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status === 0;
if (!canMount) console.log("Skipped: only root can mount a small disk");
afterAll(() => {
  if (canMount) spawnSync("umount", ["-l", disk]);
  rmSync(folder, { recursive: true });
});

const PAGE = { number: 1, url: "http://a.test/x", depth: 0, format: "markdown", content: "The page. ".repeat(4000) };

test.skipIf(!canMount).each(["pages", "lines.ndjson"])("a full disk leaves no part of a page in %s", async (name) => {
  const out = join(disk, name);
  const filler = join(disk, "filler");
  const sink = sinkAt(out, false);
  expect(() => writeFileSync(filler, Buffer.alloc(100_000))).toThrow("ENOSPC");
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
  rmSync(out, { recursive: true });
});

test("results without a writable place are refused before they are paid for", () => {
  writeFileSync(join(folder, "file"), "");
  for (const out of [join(folder, "none", "lines.ndjson"), join(folder, "file", "pages")])
    expect(() => refuseUsed(out)).toThrow(`Cannot write to "${out}": `);
  refuseUsed(join(folder, "some", "new", "pages"));
});
