/**
 * Prints how two gateways with a shared database, Redis and a content service respond while packets between two machines
 * vanish, and afterwards. It runs in a network of its own; each machine has a namespace.
 */
import { messageOf } from "../../src/lib/caught.ts";
import { until } from "../../src/lib/testing/until.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { CountingFacilitator } from "../payments/counting-facilitator.ts";
import { serverAt, startGateway } from "../support/gateway.ts";
import { COMMAND, Folder, Program } from "../support/program.ts";
import { addSwitch, Machine } from "./network.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";

const CLIENTS = "10.77.0.254";
const FACILITATOR = "10.77.0.253";
const ORIGIN = "10.77.0.252";
/** Milliseconds for each dependency, and for a request before it counts as hanging. */
const SHORT_MS = 500;
const REQUEST_MS = 20_000;
const TOKEN = "the-token-of-the-test-network";
const [postgresSocket = "", user = ""] = process.argv.slice(2);

addSwitch(CLIENTS, FACILITATOR, ORIGIN);
const [one, two, database, redis, content] = await Promise.all(
  ["one", "two", "database", "redis", "content"].map((name, i) => Machine.add(name, `10.77.0.${i + 1}`)),
);
if (!one || !two || !database || !redis || !content) throw new Error("A machine is missing");

const folder = new Folder();
const facilitator = new CountingFacilitator(FACILITATOR);
const origin = Bun.serve({ hostname: ORIGIN, port: 0, fetch: () => new Response("goods") });
const relay = [process.execPath, new URL("relay-program.ts", import.meta.url).pathname];
const service = ["content", "--listen", `${content.address}:8443`, "--plaintext", "--token-env", "TOKEN"];
service.push("--state-dir", withBrowser(folder.file("content")));
const settings = [
  "--bind",
  redis.address,
  "--port",
  "6379",
  "--protected-mode",
  "no",
  "--save",
  "",
  "--dir",
  folder.path,
];
const programs = [
  new Program([database.address, "5432", postgresSocket], { command: [...database.prefix, ...relay] }),
  new Program(settings, { command: [...redis.prefix, "redis-server"] }),
  new Program(service, { command: [...content.prefix, ...COMMAND], env: { TOKEN } }),
];
const started = programs.map((program) => program.sees(/listening on |Ready to accept connections/));
// A gateway does not start without its database.
await started[0];

const limits = { connect_timeout_ms: SHORT_MS, total_timeout_ms: 2 * SHORT_MS };
function configOf(machine: Machine): { readonly server: object; readonly [key: string]: unknown } {
  return {
    server: { address: machine.address },
    state_path: folder.path,
    access_log: { enabled: false },
    postgres: {
      url: `postgres://${user}@${database?.address}:5432/postgres?sslmode=disable`,
      statement_timeout_ms: SHORT_MS,
    },
    rate_limit_store: { redis_url_env: "STORE", timeout_ms: 100 },
    x402: {
      enabled: true,
      facilitator_url: facilitator.url,
      facilitator_timeout_ms: SHORT_MS,
      public_url: "https://shop.test",
    },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port ?? 0, ORIGIN)] },
      { name: "content", token_env: "TOKEN", servers: [serverAt(8443, content?.address)] },
    ],
    routes: [
      { path_prefix: "/free", upstream: "origin", rate_limit: { requests_per_second: 1000, key: "ip" }, ...limits },
      { path_prefix: "/goods", upstream: "origin", x402: TERMS, ...limits },
      { path_prefix: "/qr", upstream: "content", x402: TERMS, ...limits },
    ],
  };
}

const environment = { STORE: `redis://${redis.address}:6379`, TOKEN };
const starting = [one, two].map(async (machine) => {
  const { port } = await startGateway(configOf(machine), environment, machine.prefix);
  return `http://${machine.address}:${port}`;
});
const [first, second] = await Promise.all(starting);
await Promise.all(started);

interface Purchase {
  readonly path: "/goods" | "/qr";
  readonly nonce: string;
  readonly header: string;
}

function buy(path: Purchase["path"]): Purchase {
  const payment = signedPayment(Date.now() / 1000);
  return { path, nonce: payment.payload.authorization.nonce, header: encodeHeader(payment) };
}

async function send(gateway: string | undefined, { path, header }: Purchase): Promise<number> {
  const post = { method: "POST", body: JSON.stringify({ data: "toll" }) };
  const response = await fetch(`${gateway}${path}`, {
    ...(path === "/qr" ? post : {}),
    headers: { "payment-signature": header, "content-type": "application/json" },
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

async function free(gateway: string | undefined): Promise<number> {
  return (await fetch(`${gateway}/free`, { signal: AbortSignal.timeout(REQUEST_MS) })).status;
}

/** Two machines between which packets can vanish. */
interface Cable {
  cut(): void;
  heal(): void;
}

/**
 * The statuses of a free request and of two purchases at the gateway that is cut off, and of two purchases at the other
 * one. Then the cut ends, and the first two purchases are repeated: `settles` counts their settlements. With `isNew`, new
 * purchases are made instead, because the lease of the first ones may have to end.
 */
async function whileCut(cable: Cable, isNew = false): Promise<unknown> {
  const purchases = [buy("/goods"), buy("/qr")];
  const others = [buy("/goods"), buy("/qr")];
  cable.cut();
  const [unpaid, own, other] = await Promise.all([
    free(first),
    Promise.all(purchases.map((purchase) => send(first, purchase))),
    Promise.all(others.map((purchase) => send(second, purchase))),
  ]);
  const early = purchases.map(({ nonce }) => facilitator.transfers.has(nonce));
  cable.heal();
  const repeated = isNew ? [buy("/goods"), buy("/qr")] : purchases;
  await until(async () => {
    const statuses = await Promise.all(repeated.map((purchase) => send(first, purchase)));
    return statuses.every((status) => status === 200);
  }, REQUEST_MS);
  const settles = repeated.map(({ nonce }) => facilitator.settles.get(nonce));
  return { free: unpaid, own, other, paidEarly: early, settles };
}

/** Both directions between the first gateway and another machine. */
function toMachine(other: Machine): Cable {
  return {
    cut() {
      one?.lose(other.address);
      other.lose(one?.address ?? "");
    },
    heal() {
      one?.find(other.address);
      other.find(one?.address ?? "");
    },
  };
}

/** From the first gateway to an address of this process. */
function toAddress(address: string): Cable {
  return { cut: () => one?.lose(address), heal: () => one?.find(address) };
}

try {
  const result = {
    none: await whileCut({ cut() {}, heal() {} }),
    database: await whileCut(toMachine(database), true),
    redis: await whileCut(toMachine(redis)),
    content: await whileCut(toMachine(content)),
    origin: await whileCut(toAddress(ORIGIN)),
    facilitator: await whileCut(toAddress(FACILITATOR)),
    gateways: await whileCut(toMachine(two)),
  };
  console.log(JSON.stringify(result));
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
