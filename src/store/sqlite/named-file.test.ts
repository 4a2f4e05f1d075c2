import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NamedFile } from "./named-file.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-named-"));
afterAll(() => rmSync(folder, { recursive: true }));

test.each([true, false])(
  "a name is that of the same file until it is moved, deleted or replaced, and again when it is back; statx: %p",
  (hasStatx) => {
    const path = join(folder, `ä file ${hasStatx}`);
    expect(new NamedFile(path, hasStatx).wasThere).toBe(false);
    writeFileSync(path, "x");
    const file = new NamedFile(path, hasStatx);
    expect([file.wasThere, file.isSame(), file.isSameAndFull()]).toEqual([true, true, true]);
    renameSync(path, `${path}.old`);
    expect([file.isSame(), file.isSameAndFull()]).toEqual([false, false]);
    writeFileSync(path, "x");
    expect(file.isSame()).toBe(false);
    rmSync(path);
    expect(file.isSame()).toBe(false);
    renameSync(`${path}.old`, path);
    expect(file.isSameAndFull()).toBe(true);
    truncateSync(path);
    expect([file.isSame(), file.isSameAndFull()]).toEqual([true, false]);
  },
);

test("each file has facts of its own, whichever was looked at before", () => {
  const paths = ["a", "b"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, "x");
  const [a, b] = paths.map((path) => new NamedFile(path));
  expect([a?.isSame(), b?.isSame(), a?.isSame()]).toEqual([true, true, true]);
});
