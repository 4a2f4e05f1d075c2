import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readContent } from "./read-content.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-read-content-"));
const unix = join(folder, "content.sock");
let bodies: Readonly<Record<string, string | ReadableStream>> = {};
const server = Bun.serve({ unix, fetch: ({ url }) => new Response(bodies[new URL(url).pathname]) });
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

test("the content service is shown with its figures, if it has them", async () => {
  bodies = { "/health": '{"status":"ok"}', "/figures": '{"engines":[]}' };
  expect(await readContent(unix)).toMatchObject({ health: { status: "ok", figures: { engines: [] } } });
  bodies = { "/health": '{"status":"starting"}', "/figures": "{}" };
  expect(await readContent(unix)).toMatchObject({ available: true, health: { status: "starting" } });
  expect(JSON.stringify(await readContent(unix))).not.toContain("figures");
});

test.each([
  ["1", "its response to /figures is not an object"],
  ["null", "its response to /figures is not an object"],
  ["no JSON", "JSON"],
])("a response that cannot be used is named: %s", async (figures, reason) => {
  bodies = { "/health": "{}", "/figures": figures };
  const read = JSON.stringify(await readContent(unix));
  expect(read).toContain('"available":false');
  expect(read).toContain(reason);
  expect(read).not.toContain("did not respond");
});

test("a response without an end is refused before all of it is in memory", async () => {
  let pulled = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      pulled += 65_536;
      if (pulled > 64 * 1024 * 1024) controller.close();
      else controller.enqueue(new Uint8Array(65_536).fill(32));
    },
  });
  bodies = { "/health": "{}", "/figures": endless };
  expect(JSON.stringify(await readContent(unix))).toContain("its response to /figures is too long");
  expect(pulled).toBeLessThan(32 * 1024 * 1024);
});
