import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { startAttackSite } from "../testing/attacks.ts";
import { call, type Reply } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(120_000));

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
 * Seconds. If other programs use the processors, a page needs a longer visit to use the CPU time that is charged for.
 */
const TIMEOUTS = [3, 10, 30, 60];

/** `load` makes one visit. `override` is the header field of a response that is charged for. */
async function untilCharged(
  load: (timeout: number) => Promise<Reply>,
  override: string | null = CHARGED,
): Promise<Reply> {
  let reply: Reply | undefined;
  for (const timeout of TIMEOUTS) {
    reply = await load(timeout);
    if (reply.headers.get("settlement-overrides") === override) break;
  }
  if (reply === undefined) throw new Error("There are no timeouts to try");
  return reply;
}

test("a page that uses its time up with a script that never ends is charged for", async () => {
  expect(outcome(await untilCharged((timeout) => scrape(attack("loop"), { timeout })))).toEqual([
    500,
    TIMEOUT,
    CHARGED,
  ]);
});

test("a script of the caller that never ends is charged for", async () => {
  const evaluate = "(() => { for (;;); })()";
  const reply = await untilCharged((timeout) => scrape(`${site.url}/next-page`, { evaluate, timeout }));
  expect(outcome(reply)).toEqual([500, TIMEOUT, CHARGED]);
});

test("a page whose process is killed for its threads is charged for", async () => {
  const reply = await scrape(attack("idle-workers"), { timeout: 60, wait: 30 });
  expect(outcome(reply)).toEqual([500, FAILED, CHARGED]);
});

test.each([
  ["waits for its server until its timeout", () => `${site.url}/never`, { timeout: 1 }, TIMEOUT],
  ["does not have the requested element", () => `${site.url}/next-page`, { selector: "#absent", timeout: 1 }, TIMEOUT],
  ["responds with an error", () => `${site.url}/missing`, {}, FAILED],
  ["makes too many frames", () => attack("many-frames"), { timeout: 60, wait: 30 }, FAILED],
])("a page that %s is free", async (_, url, more, type) => {
  expect(outcome(await scrape(url(), more))).toEqual([500, type, null]);
});

test("pages that wait beside one that wastes CPU time, or beside one that is killed, are free", async () => {
  const waits = ["a", "b"].map((name) => scrape(`${site.url}/never?${name}`));
  const long = { timeout: 60, wait: 30 };
  const [killed] = await Promise.all([scrape(attack("idle-workers"), long), scrape(attack("loop"))]);
  expect(outcome(killed)).toEqual([500, FAILED, CHARGED]);
  for (const reply of await Promise.all(waits)) expect(outcome(reply)).toEqual([500, TIMEOUT, null]);
});

test("a batch without a result is charged for if one of its pages used its time up itself", async () => {
  const burnt = await untilCharged((timeout) => batch([attack("idle-workers"), `${site.url}/missing`], timeout), null);
  expect([burnt.status, burnt.headers.get("settlement-overrides")]).toEqual([200, null]);
  const free = await batch([`${site.url}/never`, `${site.url}/missing`], 1);
  expect([free.status, free.headers.get("settlement-overrides")]).toEqual([200, '{"amount":"0"}']);
});

test("without the key, a page that wastes CPU time is free", async () => {
  const reply = await call(other.service, "/scrape", { url: attack("loop"), engine: "browser", timeout: 3 });
  expect(outcome(reply)).toEqual([500, TIMEOUT, null]);
});
