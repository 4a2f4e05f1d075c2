import { expect, test } from "bun:test";
import { join } from "node:path";

test("the engine is loaded without a warning, and warnings that follow are shown", async () => {
  const script = `
    const { loadQuic } = await import(${JSON.stringify(join(import.meta.dir, "engine.ts"))});
    if ((await loadQuic()) !== (await loadQuic())) console.error("loaded twice");
    process.emitWarning("from elsewhere");`;
  const { stderr } = Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "pipe"] });
  const shown = (await new Response(stderr).text()).split("\n").filter((line) => line !== "");
  expect(shown[0]).toMatch(/Warning: from elsewhere$/);
  expect(shown.join("\n")).not.toContain("xperimental");
});
