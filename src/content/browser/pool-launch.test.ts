import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { browsers } from "../testing/processes.ts";
import { startSite, type TestSite } from "../testing/site.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { BrowserPool } from "./pool.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
/** The user's own browser program. It does nothing while the file `stalls` exists. */
const program = join(state.path, "own-browser");
const stalls = join(state.path, "stalls");
let site: TestSite;

beforeAll(async () => {
  site = startSite();
  const { pool, browser } = await BrowserPool.start({ stateDir: state.path, log: () => undefined });
  await pool.close();
  const environment = `LD_LIBRARY_PATH=${dirname(browser.path)}/lib`;
  const wait = `while [ -e ${stalls} ]; do sleep 0.05; done`;
  await Bun.write(program, `#!/bin/sh\n${wait}\n${environment} exec ${browser.path} "$@"\n`);
  chmodSync(program, 0o755);
  await Bun.write(`${stalls}.not`, "");
});

afterAll(async () => {
  await site.close();
  state.remove();
});

const stall = () => renameSync(`${stalls}.not`, stalls);
const goOn = () => renameSync(stalls, `${stalls}.not`);

test("a visit does not wait for a browser beyond its time, and the next visit gets that browser", async () => {
  const { pool } = await BrowserPool.start({ stateDir: state.path, browserPath: program, log: () => undefined });
  stall();
  for (const { pid } of browsers()) process.kill(pid, "SIGKILL");
  const read = (timeoutMs: number) =>
    openPage(pool, pageRequestOf(`${site.url}/emoji`, { timeoutMs }), (page) => page.snapshot());
  const codes = [];
  // The first visits can still reach the browser that was killed.
  while (codes.at(-1) !== "page-timeout" && codes.length < 3) {
    const failure: unknown = await read(1_000).catch((error: unknown) => error);
    codes.push(failure instanceof Error && "code" in failure ? failure.code : undefined);
  }
  goOn();
  expect(codes.at(-1)).toBe("page-timeout");
  expect((await read(30_000)).body).toContain("a😀b😀");
  await pool.close();
});

test("a browser that is being started in place of a worn one ends with the service", async () => {
  const { pool } = await BrowserPool.start({
    stateDir: state.path,
    browserPath: program,
    visitsPerBrowser: 1,
    log: () => undefined,
  });
  stall();
  await openPage(pool, pageRequestOf(`${site.url}/emoji`), (page) => page.snapshot());
  while (browsers().length < 2) await Bun.sleep(5);
  const closed = pool.close();
  // The worn browser ends at once.
  while (browsers().length > 1) await Bun.sleep(5);
  goOn();
  await closed;
  expect(browsers()).toEqual([]);
});
