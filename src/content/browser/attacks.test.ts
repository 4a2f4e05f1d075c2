import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ATTACKS, startAttackSite } from "../testing/attacks.ts";
import { call, type Reply } from "../testing/client.ts";
import { browsers, descendantsOf } from "../testing/processes.ts";
import { startTestService } from "../testing/service.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { BrowserPool } from "./pool.ts";
import { processFacts } from "./program/process-table.ts";
import { startSite } from "../testing/site.ts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";

// A browser on a busy machine is slow, and a page that has used much CPU time comes last there.
setDefaultTimeout(patient(150_000));

const site = startSite();
const attackSite = startAttackSite();
const { service, state, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.close();
  await attackSite.stop(true);
});

/** Each attack has its own site, because pages of a site that exceeded a limit are delayed. */
let sites = 0;

function attack(name: string, more: Record<string, unknown> = {}): Promise<Reply> {
  sites += 1;
  const url = `http://127.2.0.${sites}:${attackSite.port}/${name}`;
  return call(service, "/scrape", { url, format: "text", engine: "browser", timeout: 2, ...more });
}

/** These do the same after one second as later. Others fill memory or flood the browser. */
const SPINNING = new Set([
  "loop",
  "workers",
  "few-workers",
  "shared-workers",
  "threads",
  "blob-frames",
  "webgl",
  "animation",
  "dialogs",
]);

test.each(ATTACKS.map(({ name, about }) => [name, about]))(
  "a page of the kind %s, with %s, ends within its time, and does not affect the browser and other pages",
  async (name) => {
    const before = browsers().map(({ pid }) => pid);
    const { status } = await attack(name, { timeout: SPINNING.has(name) ? 1 : 2 });
    expect([200, 500]).toContain(status);
    const { status: next, json } = await call(service, "/scrape", {
      url: `${site.url}/next-page`,
      engine: "browser",
      format: "text",
    });
    expect([next, json["content"]]).toEqual([200, "/next-page"]);
    expect(browsers().map(({ pid }) => pid)).toEqual(before);
    if (name === "webgl") await expectDrawingEnds();
  },
);

/** The drawing of a closed page does not keep the browser busy. */
async function expectDrawingEnds(): Promise<void> {
  const drawing = descendantsOf(process.pid).filter(({ command }) => command.includes("--type=gpu-process"));
  expect(drawing).not.toEqual([]);
  await until(async () => !(await Promise.all(drawing.map(({ pid }) => isBusy(pid)))).includes(true), 30_000);
}

/** Sees the process for a fifth of a second. */
async function isBusy(pid: number): Promise<boolean> {
  const before = processFacts(pid)?.cpuMs ?? 0;
  await Bun.sleep(200);
  return (processFacts(pid)?.cpuMs ?? 0) - before > 50;
}

test.each([
  // A page that keeps the browser busy with its frames can be stopped for that first.
  ["many-frames", /frames|processor time/],
  ["idle-workers", /threads/],
  ["pictures", /requests/],
])("a page of the kind %s ends because it exceeds a limit", async (name, what) => {
  const { status, json } = await attack(name, { timeout: 120 });
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  expect(json["detail"]).toMatch(what);
});

test("some browsers run frames of other sites in their own processes, and the number of these frames is limited", async () => {
  const isolating = join(state.path, "isolating-browser");
  const { path = "" } = service.browser ?? {};
  const folder = dirname(path);
  const script = `#!/bin/sh\nLD_LIBRARY_PATH=${folder}/lib exec ${path} --site-per-process "$@"\n`;
  writeFileSync(isolating, script, { mode: 0o755 });
  const { pool } = await BrowserPool.start({ stateDir: state.path, browserPath: isolating, log: () => undefined });
  const request = pageRequestOf(`http://127.3.0.1:${attackSite.port}/frames-of-many-sites`, { timeoutMs: 60_000 });
  const failure = await openPage(pool, request, () => Promise.resolve()).catch((error) => error);
  await pool.close();
  expect(failure).toMatchObject({ code: "page-failed", message: expect.stringContaining("of other sites") });
});
