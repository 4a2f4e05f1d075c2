import { expect, test } from "bun:test";
import { join } from "node:path";
import { sharedTimeOffset } from "./monotonic-clock.ts";

const MODULE = join(import.meta.dir, "monotonic-clock.ts");

test("processes that were started at different times share one time", async () => {
  const script = `import { sharedTimeOffset } from ${JSON.stringify(MODULE)}; console.log(sharedTimeOffset() + performance.now());`;
  const before = sharedTimeOffset() + performance.now();
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const between = Number(await child.stdout.text());
  const after = sharedTimeOffset() + performance.now();
  expect(await child.exited).toBe(0);
  expect(between).toBeGreaterThan(before);
  expect(between).toBeLessThan(after);
});
