/**
 * Prints how a gateway responds while packets to another machine vanish: neither a connection nor a refusal comes back. It
 * runs in a network namespace of its own.
 */
import { connect } from "node:net";
import { connectRemoteBrowser } from "../../src/content/browser/remote/remote-browser.ts";
import { messageOf } from "../../src/lib/caught.ts";
import { ip } from "../../src/lib/testing/own-network.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { serverAt, startGateway } from "../support/gateway.ts";

/** No machine has this address. Its neighbour entry is permanent, so the kernel sends packets and learns nothing. */
const GONE = "10.77.0.2";
/** Milliseconds for each dependency in the configuration, and for a step before it counts as hanging. */
const SHORT_MS = 400;
const STEP_MS = 30_000;

ip("link", "add", "name", "near", "type", "veth", "peer", "name", "far");
ip("link", "set", "near", "up");
ip("link", "set", "far", "up");
ip("addr", "add", "10.77.0.1/24", "dev", "near");
ip("neigh", "add", GONE, "lladdr", "02:00:00:00:00:02", "dev", "near", "nud", "permanent");

/** "vanished" if a connection gets no reply of any kind. */
async function connecting(): Promise<string> {
  const socket = connect({ host: GONE, port: 80 });
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on("connect", () => resolve("connected"));
  socket.on("error", (error) => resolve(error.message));
  setTimeout(resolve, SHORT_MS, "vanished");
  return await promise.finally(() => socket.destroy());
}

const site = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("goods") });
const server = { upstream: "site" };
const config = {
  rate_limit_store: { redis_url_env: "GONE_REDIS", timeout_ms: 50 },
  x402: { enabled: true, facilitator_url: `http://${GONE}:8402`, facilitator_timeout_ms: SHORT_MS },
  upstreams: [
    { name: "site", servers: [serverAt(site.port ?? 0)] },
    { name: "gone", servers: [{ address: GONE, port: 8443, max_fails: 1_000_000 }] },
    { name: "both", servers: [{ address: GONE, port: 8443 }, serverAt(site.port ?? 0)] },
  ],
  routes: [
    { ...server, path_prefix: "/free" },
    { ...server, path_prefix: "/limited", rate_limit: { requests_per_second: 1000, key: "ip" } },
    { ...server, path_prefix: "/paid", x402: TERMS },
    { upstream: "gone", path_prefix: "/gone", connect_timeout_ms: SHORT_MS, total_timeout_ms: 3 * SHORT_MS },
    { upstream: "both", path_prefix: "/both", connect_timeout_ms: SHORT_MS, retry: { max_retries: 2 } },
  ],
};

const gateway = await startGateway(config, { GONE_REDIS: `redis://${GONE}:6379` });

async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number | string> {
  const url = `http://127.0.0.1:${gateway.port}${path}`;
  return await fetch(url, { headers, signal: AbortSignal.timeout(STEP_MS) }).then(
    async (response) => {
      await response.text();
      return response.status;
    },
    (error: unknown) => messageOf(error),
  );
}

/** The outcome of the start of a gateway whose database vanished, and of a connection to such a browser. */
async function endOf(work: Promise<unknown>): Promise<string> {
  return await work.then(() => "no failure", messageOf);
}

const payment = { "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) };
const postgres = { url: `postgres://turnpike@${GONE}:5432/x?sslmode=disable`, statement_timeout_ms: SHORT_MS };
const browser = { endpoint: new URL(`ws://${GONE}:9222/`), maxPages: 1, proxyAddress: "", allowedAddresses: [] };
const [connection, free, limited, paid, gone, both, database, remote] = await Promise.all([
  connecting(),
  statusOf("/free"),
  statusOf("/limited"),
  statusOf("/paid", payment),
  statusOf("/gone"),
  Promise.all(Array.from({ length: 6 }, () => statusOf("/both"))),
  endOf(startGateway({ ...config, postgres, rate_limit_store: {} })),
  endOf(connectRemoteBrowser({ ...browser, ca: undefined })),
]);
await gateway.kill();
console.log(JSON.stringify({ connection, free, limited, paid, gone, both, database, remote }));
process.exit(0);
