import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { startAttackSite } from "../testing/attacks.ts";
import { call, type Reply } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(300_000));

const site = startSite();
const attackSite = startAttackSite();
const { service, close } = await startTestService({ chargeTimeouts: true });
const other = await startTestService();

afterAll(async () => {
  await Promise.all([close(), other.close()]);
  await site.close();
  await attackSite.stop(true);
});

/** Each page has its own site, because pages of a site that exceeded a limit are delayed. */
let sites = 0;

function attack(name: string): string {
  sites += 1;
  return `http://127.4.0.${sites}:${attackSite.port}/${name}`;
}

function scrape(url: string, more: Record<string, unknown> = {}): Promise<Reply> {
  return call(service, "/scrape", { url, format: "text", engine: "browser", timeout: 3, ...more });
}

function batch(urls: readonly string[], timeout: number): Promise<Reply> {
  return call(service, "/batch", { urls, format: "text", engine: "browser", timeout });
}

function outcome({ status, json, headers }: Reply): unknown[] {
  return [status, json["type"], headers.get("settlement-overrides")];
}

const TIMEOUT = "urn:turnpike:error:page-timeout";
const FAILED = "urn:turnpike:error:page-failed";
const CHARGED = '{"amount":"100%"}';

/**
 * Seconds, in turns. A page that used some CPU time gets a processor only if no other program wants it. So it may need a longer visit
 * to use the time that is charged for, and further visits if other programs never pause. In a long visit on a machine that is less busy
 * it is killed, because it uses 15 s of CPU time.
 */
const TIMEOUTS = [3, 10, 14, 60];
/** Milliseconds after which no further visit begins. */
const MOST_MS = patient(200_000);

/** The outcome of a visit that ends as expected; otherwise that of the last one. `load` makes one visit. */
async function ending(expected: readonly unknown[], load: (timeout: number) => Promise<Reply>): Promise<unknown[]> {
  const until = performance.now() + MOST_MS;
  for (let visits = 0; ; visits++) {
    const seen = outcome(await load(TIMEOUTS[visits % TIMEOUTS.length] ?? 0));
    if (Bun.deepEquals(seen, expected) || performance.now() > until) return seen;
  }
}

const LATE_AND_CHARGED = [500, TIMEOUT, CHARGED];
const KILLED_AND_CHARGED = [500, FAILED, CHARGED];
/** For pages that a bound ends as soon as they have a processor. */
const LONG = { timeout: 60, wait: 30 };

test("a page that uses its time up with a script that never ends is charged for", async () => {
  const seen = await ending(LATE_AND_CHARGED, (timeout) => scrape(attack("loop"), { timeout }));
  expect(seen).toEqual(LATE_AND_CHARGED);
});

test("a script of the caller that never ends is charged for", async () => {
  const evaluate = "(() => { for (;;); })()";
  const load = (timeout: number) => scrape(`${site.url}/next-page`, { evaluate, timeout });
  expect(await ending(LATE_AND_CHARGED, load)).toEqual(LATE_AND_CHARGED);
});

test("a page whose process is killed for its threads is charged for", async () => {
  const seen = await ending(KILLED_AND_CHARGED, () => scrape(attack("idle-workers"), LONG));
  expect(seen).toEqual(KILLED_AND_CHARGED);
});

test.each([
  ["waits for its server until its timeout", () => `${site.url}/never`, { timeout: 1 }, TIMEOUT],
  ["does not have the requested element", () => `${site.url}/next-page`, { selector: "#absent", timeout: 1 }, TIMEOUT],
  ["responds with an error", () => `${site.url}/missing`, {}, FAILED],
  ["makes too many frames", () => attack("many-frames"), LONG, FAILED],
])("a page that %s is free", async (_, url, more, type) => {
  const free = [500, type, null];
  expect(await ending(free, () => scrape(url(), more))).toEqual(free);
});

test("pages that wait beside one that wastes CPU time, or beside one that is killed, are free", async () => {
  const besides = await ending(KILLED_AND_CHARGED, async () => {
    const waits = ["a", "b"].map((name) => scrape(`${site.url}/never?${name}`));
    const [killed] = await Promise.all([scrape(attack("idle-workers"), LONG), scrape(attack("loop"))]);
    for (const reply of await Promise.all(waits)) expect(outcome(reply)).toEqual([500, TIMEOUT, null]);
    return killed;
  });
  expect(besides).toEqual(KILLED_AND_CHARGED);
});

test("a batch without a result is charged for if one of its pages used its time up itself", async () => {
  const whole = [200, undefined, null];
  const load = (timeout: number) => batch([attack("idle-workers"), `${site.url}/missing`], timeout);
  expect(await ending(whole, load)).toEqual(whole);
  const free = await batch([`${site.url}/never`, `${site.url}/missing`], 1);
  expect([free.status, free.headers.get("settlement-overrides")]).toEqual([200, '{"amount":"0"}']);
});

test("without the key, a page that wastes CPU time is free", async () => {
  const reply = await call(other.service, "/scrape", { url: attack("loop"), engine: "browser", timeout: 3 });
  expect(outcome(reply)).toEqual([500, TIMEOUT, null]);
});
