import { expect, test } from "bun:test";
import { join } from "node:path";
import { machineTimeOffset } from "./machine-time.ts";

const MODULE = join(import.meta.dir, "machine-time.ts");

test("processes that were started at different times share one time", async () => {
  const script = `import { machineTimeOffset } from ${JSON.stringify(MODULE)}; console.log(machineTimeOffset() + performance.now());`;
  const before = machineTimeOffset() + performance.now();
  const child = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const between = Number(await child.stdout.text());
  const after = machineTimeOffset() + performance.now();
  expect(await child.exited).toBe(0);
  expect(between).toBeGreaterThan(before);
  expect(between).toBeLessThan(after);
});
