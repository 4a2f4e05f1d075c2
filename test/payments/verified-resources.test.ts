/** A facilitator in test mode that buys what it lists, with a gateway that sells it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { payAndFetch } from "../../src/payments/client/client.ts";
import { freshAccount } from "../../src/payments/evm/testing/shop.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { startBrowser } from "../support/browser.ts";
import { COMMAND } from "../support/program.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

const TERMS = { price: "$0.01", asset: "USDC", network: "base-sepolia", pay_to: `0x${"2".repeat(40)}` };
const BAZAAR = { bazaar: { info: { input: { type: "http", method: "GET" } }, schema: {} } };
const folder = mkdtempSync(join(tmpdir(), "turnpike-verified-"));

let origin: Bun.Server<undefined>;
let gateway: Gateway;
let facilitator: Bun.Subprocess | undefined;
let facilitatorUrl = "";
let sales = 0;

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    // The second sale of it fails.
    fetch: ({ url }) => new Response("the goods", { status: url.includes("broken") && sales++ > 0 ? 500 : 200 }),
  });
  const port = await freePort();
  facilitatorUrl = `http://127.0.0.1:${port}`;
  const x402 = { ...TERMS, extensions: BAZAAR };
  gateway = await startGateway({
    state_path: folder,
    x402: {
      enabled: true,
      facilitator_url: facilitatorUrl,
      facilitator_refresh_s: 10,
      facilitator_timeout_ms: patient(20_000),
    },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: ["/goods", "/broken"].map((path_prefix) => ({ path_prefix, upstream: "origin", x402 })),
  });
  const flags = [
    "--test",
    "--discovery",
    "--verify",
    `http://127.0.0.1:${gateway.port}`,
    "--listen",
    `127.0.0.1:${port}`,
  ];
  facilitator = Bun.spawn([...COMMAND, "facilitator", ...flags], {
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, TURNPIKE_HOME: folder, TURNPIKE_FACILITATOR_TOKEN: "" },
  });
});

afterAll(async () => {
  facilitator?.kill("SIGTERM");
  await facilitator?.exited;
  await gateway?.stop();
  await origin?.stop(true);
  rmSync(folder, { recursive: true });
});

/** Buys at the gateway once it can sell. */
async function buy(url: string): Promise<void> {
  const account = freshAccount();
  await until(async () => (await fetch(url)).headers.has("payment-required"));
  const { response, receipt } = await payAndFetch(url, {}, { account: () => account, maxPrice: "$1" });
  expect([response.status, receipt?.success]).toEqual([200, true]);
}

async function listed(query: string): Promise<unknown[]> {
  const { items } = (await (await fetch(`${facilitatorUrl}/discovery/resources?${query}`)).json()) as {
    items: { resource: string }[];
  };
  return items.map(({ resource }) => resource);
}

test("a sold resource is bought and verified, a broken one is not, and other origins are left alone", async () => {
  const own = `http://127.0.0.1:${gateway.port}`;
  const other = `http://localhost:${gateway.port}/goods/elsewhere`;
  await buy(other);
  await buy(`${own}/broken`);
  await buy(`${own}/goods/a`);
  await until(async () => (await listed("verified=true")).length === 1);
  await until(async () => {
    const { resources } = (await (await fetch(`${facilitatorUrl}/status`)).json()) as { resources: object[] };
    return JSON.stringify(resources).includes("responded with 500, and was not paid");
  });
  expect(await listed("verified=true")).toEqual([`${own}/goods/a`]);
  // The newest sale comes first.
  expect(await listed("verified=false")).toEqual([`${own}/broken`, other]);
  const { resources } = (await (await fetch(`${facilitatorUrl}/status`)).json()) as { resources: object[] };
  const [, , first] = resources;
  expect(first).toEqual({ resource: other });
  const started = await startBrowser();
  try {
    const page = await started.browser.newPage();
    await page.goto(facilitatorUrl);
    await page.waitForSelector("#resources tr");
    const rows = await page.$$eval("#resources tr", (all) => all.map((row) => row.textContent));
    expect(rows.map((text) => /verified|failed|not tried/.exec(text)?.[0])).toEqual([
      "verified",
      "failed",
      "not tried",
    ]);
  } finally {
    await started.close();
  }
});
