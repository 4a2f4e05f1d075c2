import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../lib/testing/until.ts";
import { browsers, descendantsOf, renderers } from "../testing/processes.ts";
import { startSite, type TestSite } from "../testing/site.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { BrowserPool } from "./pool.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));
const PATIENCE_MS = 30_000;

const state = createStateFolder();
let site: TestSite;
let pool: BrowserPool;

beforeAll(async () => {
  site = startSite();
  ({ pool } = await BrowserPool.start({ stateDir: state.path, visitsPerBrowser: 3, log: () => undefined }));
});

afterAll(async () => {
  await pool.close();
  await site.close();
  state.remove();
});

function visit(path: string, selector?: string): Promise<string> {
  const request = pageRequestOf(site.url + path, { selector });
  return openPage(pool, request, (page) => page.evaluate("document.body.innerText"));
}

test("a worn browser is replaced and ends with its last visit, without an effect on visits", async () => {
  const [first] = browsers();
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const long = openPage(pool, pageRequestOf(`${site.url}/late`, { selector: "#late" }), async (page) => {
    started.resolve();
    await gate.promise;
    return await page.evaluate("document.body.innerText");
  });
  await started.promise;
  for (const path of ["/one", "/two", "/three"]) expect(await visit(path)).toBe(path);
  await until(() => browsers().some(({ pid }) => pid !== first?.pid), PATIENCE_MS);
  expect(await visit("/four")).toBe("/four");
  expect(browsers().map(({ pid }) => pid)).toContain(first?.pid ?? 0);
  gate.resolve();
  expect(await long).toBe("late");
  await until(() => browsers().every(({ pid }) => pid !== first?.pid), PATIENCE_MS);
  expect(browsers()).toHaveLength(1);
  const [second] = browsers();
  // The processes of the first one may take a moment to end.
  await until(() => {
    const owned = [second, ...descendantsOf(second?.pid ?? 0)].map((found) => found?.pid);
    return descendantsOf(process.pid).every(({ name, pid }) => name !== second?.name || owned.includes(pid));
  }, PATIENCE_MS);
});

test("warm tabs are ready before they are needed, and one that died is not used", async () => {
  await until(() => renderers().length >= 2, PATIENCE_MS);
  for (const { pid } of renderers()) process.kill(pid, "SIGKILL");
  expect(await visit("/next")).toBe("/next");
});

test("visits of one pool cannot see each other's data, with or without a warm tab", async () => {
  for (let n = 0; n < 3; n += 1) expect(await visit("/cookies")).toBe("none\n\nnone");
});
