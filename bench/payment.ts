/** The cost of payment: sending the requirements, verifying one, and a paid request compared with a free one. */
import { parseArgs } from "node:util";
import { openShop } from "../src/payments/evm/testing/shop.ts";
import { encodeHeader } from "../src/payments/x402/header.ts";
import { hasChain } from "../src/payments/testing/chain.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { Children, cpuSeconds } from "./support/children.ts";
import { isInstalled, listeningPort, originUpstream, startTurnpike } from "./support/programs.ts";
import { median } from "./support/report.ts";
import { runWrk } from "./support/wrk.ts";

const CONNECTIONS = 64;
/** Payments before the measurement, so that the code is compiled. */
const WARM_UP = 250;
const GOALS = { unpaid: 0.8, verifyMs: 1, addedMs: 3 } as const;

const { price: _price, scheme: _scheme, ...ACCOUNT } = TERMS;
const CREDIT = { ...ACCOUNT, max: "$1000000" };

interface Place {
  readonly url: string;
  readonly pid: number;
}

/** A gateway in test mode: `/` is free, `/paid` is not. */
async function startGateway(children: Children, originPort: number): Promise<Place> {
  const child = startTurnpike(children, "turnpike", {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    state_path: children.folder,
    access_log: { enabled: false },
    x402: { enabled: true, test_mode: true, credit: CREDIT },
    upstreams: [originUpstream(originPort, CONNECTIONS)],
    routes: [
      { path_prefix: "/", upstream: "origin" },
      { path_prefix: "/paid", upstream: "origin", x402: TERMS },
    ],
  });
  const port = await listeningPort(child);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid };
}

/** Requests per CPU-second of the gateway. Fails with an Error if a response was not as expected. */
async function drive(children: Children, { url, pid }: Place, path: string, seconds: number): Promise<number> {
  const before = cpuSeconds(pid);
  const load = await runWrk(children, url + path, { connections: CONNECTIONS, seconds });
  const refused = path === "/paid" ? load.requests : 0;
  if (load.socketErrors > 0 || load.non2xx !== refused) throw new Error(`Cannot measure ${path}: wrong responses`);
  return load.requests / (cpuSeconds(pid) - before);
}

async function compareUnpaid(
  children: Children,
  permit: Place,
  rounds: number,
  seconds: number,
): Promise<number | undefined> {
  if (!isInstalled("wrk")) {
    console.log("unpaid 402s: left out, it needs wrk");
    return undefined;
  }
  const ratios: number[] = [];
  const rates = { free: 0, unpaid: 0 };
  await drive(children, permit, "/", 1);
  for (let round = 0; round < rounds; round++) {
    rates.free = await drive(children, permit, "/", seconds);
    rates.unpaid = await drive(children, permit, "/paid", seconds);
    ratios.push(rates.unpaid / rates.free);
  }
  const ratio = median(ratios);
  console.log(
    `unpaid 402s: ${rates.unpaid.toFixed(0)} per CPU-second, a plain proxied request ${rates.free.toFixed(0)}: ratio ${ratio.toFixed(2)}, goal ${GOALS.unpaid}`,
  );
  return ratio;
}

async function timeOf(url: string, headers: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`Cannot measure ${url}: it responded with ${response.status}`);
  await response.arrayBuffer();
  return performance.now() - begun;
}

/** Milliseconds that payment adds to the median of consecutive requests, with a ledger on disk and no chain. */
async function compareLatency({ url, pid }: Place, requests: number): Promise<number> {
  const free: number[] = [];
  const paid: number[] = [];
  const payments = Array.from({ length: requests + WARM_UP }, () => encodeHeader(signedPayment(Date.now() / 1000)));
  for (const payment of payments.splice(0, WARM_UP)) await timeOf(`${url}/paid`, { "payment-signature": payment });
  let cpu = 0;
  for (const payment of payments) {
    free.push(await timeOf(`${url}/`, {}));
    const before = cpuSeconds(pid);
    paid.push(await timeOf(`${url}/paid`, { "payment-signature": payment }));
    cpu += cpuSeconds(pid) - before;
  }
  const added = median(paid) - median(free);
  console.log(
    `a paid request without a chain: p50 ${median(paid).toFixed(2)} ms, a free one ${median(free).toFixed(2)} ms: ${added.toFixed(2)} ms more, goal ${GOALS.addedMs}; ` +
      `${((cpu / requests) * 1000).toFixed(2)} CPU-ms of the gateway`,
  );
  return added;
}

/** The token of a balance that is bought with one payment. */
async function buyCredit(url: string): Promise<string> {
  const value = "1000000000000";
  const extra = { ...REQUIREMENTS.extra, paymentFlow: "upfront" };
  const payment = {
    ...signedPayment(Date.now() / 1000, { value }),
    accepted: { ...REQUIREMENTS, amount: value, extra },
  };
  const headers = { "content-type": "application/json", "payment-signature": encodeHeader(payment) };
  const body = JSON.stringify({ amount: value });
  const response = await fetch(`${url}/.turnpike/credit`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Error(`Cannot buy credit: ${await response.text()}`);
  const { token } = (await response.json()) as { token: string };
  return token;
}

/** Paid requests at the same time: each with its payment, and all with the token of one balance. */
async function compareThroughput({ url, pid }: Place, requests: number): Promise<void> {
  const token = await buyCredit(url);
  const kinds: Readonly<Record<string, () => Record<string, string>>> = {
    "x402 payments": () => ({ "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) }),
    "one prepaid balance": () => ({ authorization: `Bearer ${token}` }),
  };
  for (const [name, headersOf] of Object.entries(kinds)) {
    const waiting = Array.from({ length: requests }, headersOf);
    const [cpu, begun] = [cpuSeconds(pid), performance.now()];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await timeOf(`${url}/paid`, next);
      }),
    );
    const seconds = (performance.now() - begun) / 1000;
    const cpuMs = ((cpuSeconds(pid) - cpu) / requests) * 1000;
    console.log(
      `${CONNECTIONS} at once, ${name}: ${(requests / seconds).toFixed(0)} requests/s, ${cpuMs.toFixed(2)} CPU-ms of the gateway each`,
    );
  }
}

/** CPU milliseconds of a verification in this process, with the calls to the node. */
async function measureVerification(payments: number): Promise<number | undefined> {
  if (!hasChain) {
    console.log("verification: left out, there is no chain for this platform");
    return undefined;
  }
  const shop = await openShop();
  try {
    const facilitator = await shop.facilitator();
    const payer = await shop.payer();
    const signed = [];
    for (let i = 0; i < payments + WARM_UP; i++) signed.push(await shop.pay(payer));
    for (const payment of signed.splice(0, WARM_UP)) await facilitator.verify(payment, shop.requirements);
    const before = process.cpuUsage();
    for (const payment of signed) {
      const { kind } = await facilitator.verify(payment, shop.requirements);
      if (kind !== "valid") throw new Error(`Cannot measure verification: it is ${kind}`);
    }
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1000 / signed.length;
    console.log(`verification by the embedded facilitator: ${ms.toFixed(2)} CPU-ms, goal ${GOALS.verifyMs}`);
    return ms;
  } finally {
    await shop.close();
  }
}

/** `npm run bench -- payment [--rounds N] [--seconds S] [--payments N]`; exit code 1 if a goal is missed. */
export async function runPaymentBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "3" },
      seconds: { type: "string", default: "3" },
      payments: { type: "string", default: "1000" },
    },
  });
  const payments = Number(values.payments);
  const children = new Children();
  const origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ goods: REQUIREMENTS.asset }),
  });
  try {
    const permit = await startGateway(children, origin.port ?? 0);
    const ratio = await compareUnpaid(children, permit, Number(values.rounds), Number(values.seconds));
    const added = await compareLatency(permit, payments);
    await compareThroughput(permit, 2 * payments);
    const verifyMs = await measureVerification(payments);
    const isMissed =
      (ratio !== undefined && ratio < GOALS.unpaid) ||
      added > GOALS.addedMs ||
      (verifyMs !== undefined && verifyMs > GOALS.verifyMs);
    return isMissed ? 1 : 0;
  } finally {
    await children.close();
    await origin.stop(true);
  }
}
