/** The console of a gateway with several facilitators, of which the first one is down. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { type Status } from "../../src/gateway/admin/shapes/status.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { PAYER, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { errors } from "../support/browser.ts";
import { ConsoleRig, type Operator } from "../support/console.ts";
import { serverAt } from "../support/gateway.ts";

setDefaultTimeout(patient(60_000));

/** Folder for screenshots; unset: no screenshots. */
const PICTURES = process.env["TURNPIKE_PAGE_PICTURES"] ?? "";

/** More failures than open a breaker. */
const PAID = 8;

let servers: Bun.Server<undefined>[];
let rig: ConsoleRig;

function listen(handler: (path: string) => Response): Bun.Server<undefined> {
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: ({ url }) => handler(new URL(url).pathname) });
}

/** A facilitator that settles every payment, or only says what it supports. */
function facilitator(isDown: boolean): Bun.Server<undefined> {
  return listen((path) => {
    if (path === "/supported") {
      return Response.json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] });
    }
    if (isDown) return new Response("down", { status: 503 });
    if (path === "/verify") return Response.json({ isValid: true, payer: PAYER });
    return Response.json({
      success: true,
      transaction: `0x${"ab".repeat(32)}`,
      network: "eip155:84532",
      payer: PAYER,
    });
  });
}

beforeAll(async () => {
  const [down, works, origin] = [facilitator(true), facilitator(false), listen(() => new Response("the goods"))];
  servers = [down, works, origin];
  rig = await ConsoleRig.start({
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    x402: {
      enabled: true,
      facilitators: [
        { name: "near", url: down.url.origin },
        { name: "far", url: works.url.origin },
      ],
    },
    routes: [{ path_prefix: "/paid", upstream: "origin", x402: TERMS }],
    access_log: { enabled: false },
  });
});

afterAll(async () => {
  await rig.stop();
  for (const server of servers) await server.stop(true);
});

async function look(operator: Operator, name: string): Promise<void> {
  expect(await errors(operator.page)).toEqual([]);
  expect(await operator.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  await operator.page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
}

for (const width of [1280, 390]) {
  test(`at ${width} px, sales show the facilitators in order, open breakers and gas`, async () => {
    const operator = await rig.operator({ width });
    await operator.logIn();
    for (let i = 0; i < PAID; i++) {
      const payment = encodeHeader(signedPayment(Date.now() / 1000));
      const headers = { "payment-signature": payment };
      expect((await fetch(`http://127.0.0.1:${rig.gateway.port}/paid`, { headers })).status).toBe(200);
    }
    await operator.goTo("payments", "Payments");
    await operator.reads("1 open breaker");
    const names = `[...document.querySelectorAll("main ol code")].map((one) => one.textContent)`;
    expect(await operator.page.evaluate(names)).toEqual(["near", "far"]);
    const states = `[...document.querySelectorAll("main ol .badge")].map((one) => one.textContent)`;
    expect(await operator.page.evaluate(states)).toEqual(["does not respond", "breaker closed"]);
    await look(operator, `facilitators-${width}`);
    // Shape of the interface's description. No chain gives gas here.
    const real = (await (await rig.ask("/v1/status")).json()) as Status;
    const gas = [
      { network: "eip155:8453", balance: 0.0412, low_keys: 0 },
      { network: "eip155:84532", balance: 0.0001, low_keys: 2 },
    ];
    const body = JSON.stringify({
      ...real,
      facilitators: { members: [{ name: "<b>own", breakers_open: 0 }], breakers_open: 0, gas },
    });
    await operator.page.setRequestInterception(true);
    operator.page.on("request", (request) => {
      if (new URL(request.url()).pathname !== "/v1/status") void request.continue();
      else void request.respond({ contentType: "application/json", body });
    });
    await operator.goTo("overview", "Overview");
    await operator.goTo("payments", "Payments");
    for (const text of ["<b>own", "no open breaker", "0.0412 native coins", "enough", "2 keys low"])
      await operator.reads(text);
    await look(operator, `gas-${width}`);
    expect(operator.complaints).toEqual([]);
    await operator.leave();
    expect(real.facilitators.members).toEqual([
      { name: "near", breakers_open: 1 },
      { name: "far", breakers_open: 0 },
    ]);
    const metrics = await (await rig.ask("/v1/metrics")).text();
    expect(metrics).toContain('turnpike_facilitator_breakers_open{facilitator="0"} 1\n');
    expect(metrics).toContain('turnpike_facilitator_breakers_open{facilitator="1"} 0\n');
  });
}
