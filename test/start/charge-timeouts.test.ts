/** Charging for pages that use up their own time: the shipped program, real payments, a real browser. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startAttackSite } from "../../src/content/testing/attacks.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

setDefaultTimeout(patient(90_000));

const CHARGE = { "settlement-overrides": '{"amount":"100%"}' };
const PRICE = {
  price: "$0.005",
  asset: "USDC",
  network: "eip155:84532",
  pay_to: "0x000000000000000000000000000000000000dEaD",
  max_timeout_seconds: 300,
};

/** This port has no listener. */
const NO_MODEL = { base_url: "http://127.0.0.1:1/v1", model: "none" };

const folder = new Folder();
const attackSite = startAttackSite();
/** Marks each of its responses, which are errors, as chargeable. */
const stranger = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response("no", { status: 500, headers: CHARGE }),
});
const article = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response("<p>It is said that it may happen.</p>", { headers: { "content-type": "text/html" } }),
});
const silent = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Promise<Response>(() => {}) });

interface Shop {
  readonly program: Program;
  readonly state: string;
  readonly url: string;
}

let charging: Shop;
let sparing: Shop;

async function open(name: string, chargeTimeouts: boolean): Promise<Shop> {
  const state = folder.file(name);
  const config = folder.write(`${name}.json`, {
    server: { address: "127.0.0.1", port: 0 },
    x402: { enabled: true, test_mode: true },
    content: { charge_timeouts: chargeTimeouts, search: { providers: [] }, resolve: { model: NO_MODEL } },
    upstreams: [
      { name: "content", servers: [{ unix: "/run/turnpike/content.sock" }] },
      { name: "stranger", servers: [{ address: "127.0.0.1", port: stranger.port }] },
    ],
    routes: [
      { path_prefix: "/scrape", upstream: "content", x402: PRICE },
      { path_prefix: "/resolve", upstream: "content", x402: PRICE },
      { path_prefix: "/stranger", upstream: "stranger", x402: PRICE },
      {
        path_prefix: "/split",
        upstream: "content",
        traffic_split: [{ upstream: "stranger", weight: 1 }],
        x402: PRICE,
      },
    ],
  });
  const program = new Program(
    ["--config", config, "--port", "0", "--state-dir", withBrowser(state), "--allow-private"],
    {
      command: [...COMMAND, "start"],
    },
  );
  const [, port] = await program.sees(/^gateway +http:\/\/127\.0\.0\.1:(\d+)$[^]*^try /m);
  return { program, state, url: `http://127.0.0.1:${port}` };
}

beforeAll(async () => {
  charging = await open("charging", true);
  sparing = await open("sparing", false);
});

afterAll(async () => {
  await Promise.all([charging.program.stop(), sparing.program.stop()]);
  await Promise.all([attackSite, stranger, silent, article].map((server) => server.stop(true)));
  folder.remove();
});

/** Pays for the path. Returns the status, the problem's type, and whether there is a receipt. */
async function buy(shop: Shop, path: string, body: object): Promise<unknown[]> {
  const account = privateKeyToAccount(generatePrivateKey());
  const pay = wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", new ExactEvmScheme(account)));
  const response = await pay(shop.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const problem: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  expect(response.headers.get("settlement-overrides")).toBeNull();
  const receipt = response.headers.get("payment-response");
  if (receipt !== null) expect(JSON.parse(atob(receipt))).toMatchObject({ success: true });
  return [response.status, Object(problem).type, receipt !== null];
}

function settledIn(shop: Shop): unknown {
  const database = new Database(join(shop.state, "turnpike.db"), { readonly: true });
  const row = database.query("SELECT count(*) AS payments FROM payments WHERE state = 'settled'").get();
  database.close();
  return Object(row).payments;
}

const BROWSER = { format: "text", engine: "browser" };
const FAILED = "urn:turnpike:error:page-failed";
const TIMEOUT = "urn:turnpike:error:page-timeout";

/** It starts more threads than a page may have, so its process is killed. */
function burning(n: number): object {
  return { ...BROWSER, url: `http://127.5.0.${n}:${attackSite.port}/idle-workers`, timeout: 60, wait: 30 };
}

test("a page that uses too much is charged if charge_timeouts is on, and recorded in the ledger", async () => {
  expect(await buy(charging, "/scrape", burning(1))).toEqual([500, FAILED, true]);
  expect(settledIn(charging)).toBe(1);
});

test("a page whose script never ends is charged if charge_timeouts is on, once it used processor time for its timeout", async () => {
  // If other programs use the CPUs, the page needs more time to use as much of them. If they use less, it is killed in the longest visit.
  const timeouts = [3, 10, 14, 60];
  let outcome: unknown[] = [];
  for (let visits = 0; outcome[1] !== TIMEOUT || outcome[2] !== true; visits++) {
    // Further pages of a site that exceeded a limit are delayed.
    const url = `http://127.5.1.${visits + 1}:${attackSite.port}/loop`;
    outcome = await buy(charging, "/scrape", { ...BROWSER, url, timeout: timeouts[visits % timeouts.length] });
  }
  expect(outcome).toEqual([500, TIMEOUT, true]);
});

test("a page that waits for its server until its timeout is free even if charge_timeouts is on", async () => {
  expect(await buy(charging, "/scrape", { ...BROWSER, url: silent.url.href, timeout: 2 })).toEqual([
    500,
    TIMEOUT,
    false,
  ]);
});

test("all of them are free if charge_timeouts is off", async () => {
  expect(await buy(sparing, "/scrape", burning(3))).toEqual([500, FAILED, false]);
  const url = `http://127.5.0.4:${attackSite.port}/loop`;
  expect(await buy(sparing, "/scrape", { ...BROWSER, url, timeout: 3 })).toEqual([500, TIMEOUT, false]);
  expect(settledIn(sparing)).toBe(0);
});

test("a question is free if nothing can be read or searched, and if the language model fails", async () => {
  const question = "Will it happen?";
  const nowhere = { question, sources: ["http://127.0.0.1:1/"] };
  expect(await buy(charging, "/resolve", nowhere)).toEqual([502, "urn:turnpike:error:resolve-failed", false]);
  const readable = { question, sources: [article.url.href] };
  expect(await buy(charging, "/resolve", readable)).toEqual([502, "urn:turnpike:error:model-failed", false]);
});

test("no other upstream can charge for an error", async () => {
  for (const path of ["/stranger", "/split"]) expect(await buy(charging, path, {})).toEqual([500, undefined, false]);
});
