/**
 * A gateway with two workers whose ledger is on a full disk, or was moved away. It serves free routes, refuses payments, and sells
 * when there is space, or when the ledger is back.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { smallDisk } from "../../src/lib/testing/small-disk.ts";
import { until } from "../../src/lib/testing/until.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { descendants } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
const disk = smallDisk("8m");

let upstream: Bun.Server<undefined>;
let gateway: Gateway;
let runs = 0;

beforeAll(() => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      runs += 1;
      return new Response("goods");
    },
  });
});

afterAll(async () => {
  await gateway?.stop();
  await upstream.stop(true);
  disk[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function start(statePath = disk.path): Promise<void> {
  const route = { upstream: "site" };
  gateway = await startGateway({
    server: { workers: 2 },
    state_path: statePath,
    x402: { enabled: true, test_mode: true },
    upstreams: [{ name: "site", servers: [serverAt(upstream.port ?? 0)] }],
    routes: [
      { ...route, path_prefix: "/free" },
      { ...route, path_prefix: "/paid", x402: TERMS },
    ],
  });
}

async function pay(payment = signedPayment(Date.now() / 1000)): Promise<Response> {
  return await fetch(`http://127.0.0.1:${gateway.port}/paid`, {
    headers: { "payment-signature": encodeHeader(payment) },
  });
}

async function statusOf(path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${gateway.port}${path}`)).status;
}

/** The value of the metric. */
async function unavailable(): Promise<string | undefined> {
  const page = await (await fetch(`http://127.0.0.1:${gateway.port}/metrics`)).text();
  return /^turnpike_ledger_unavailable (\d)$/m.exec(page)?.[1];
}

/** Most payments that fit into the free rest of the file. */
const MOST_LEFT = 200;

test.skipIf(!disk.isMounted)(
  "a disk that fills while the gateway runs sets the metric until there is space again",
  async () => {
    await start();
    expect([(await pay()).status, await unavailable()]).toEqual([200, "0"]);
    disk.fill();
    let last = 200;
    for (let left = MOST_LEFT; left > 0 && last === 200; left--) last = (await pay()).status;
    expect(last).toBe(503);
    expect([await unavailable(), await statusOf("/free")]).toEqual(["1", 200]);
    rmSync(join(disk.path, "filler"));
    // Without a payment.
    await until(
      async () => (await unavailable()) === "0",
      patient(30_000),
      "the metric shows that the ledger responds",
    );
    const sold = await Promise.all(Array.from({ length: 10 }, () => pay()));
    expect(sold.map((response) => response.status)).toEqual(sold.map(() => 200));
    await gateway.stop();
  },
);

test("a ledger that is moved away takes no payment, and the workers sell when it is back", async () => {
  const state = join(folder, "state");
  mkdirSync(state);
  await start(state);
  const payment = signedPayment(Date.now() / 1000);
  expect((await pay(payment)).status).toBe(200);
  renameSync(state, `${state}.away`);
  runs = 0;
  const refused = await Promise.all(Array.from({ length: 10 }, () => pay()));
  expect(refused.map((response) => response.status)).toEqual(refused.map(() => 503));
  expect([runs, await unavailable(), await statusOf("/free")]).toEqual([0, "1", 200]);
  expect(gateway.output()).toContain(
    "the file or its log (-wal) was moved, deleted or emptied while it is in use: put it back; a restart without it begins with an empty one",
  );
  renameSync(`${state}.away`, state);
  expect((await pay(payment)).status).toBe(200);
  const sold = await Promise.all(Array.from({ length: 10 }, () => pay()));
  expect(sold.map((response) => response.status)).toEqual(sold.map(() => 200));
  await gateway.stop();
});

test("a worker that starts again makes no empty ledger in place of one that is gone, and sells when it is back", async () => {
  const state = join(folder, "gone");
  mkdirSync(state);
  await start(state);
  const payment = signedPayment(Date.now() / 1000);
  expect((await pay(payment)).status).toBe(200);
  renameSync(state, `${state}.away`);
  mkdirSync(state);
  const [victim = 0] = descendants(gateway.pid, "/process/workers/worker.");
  process.kill(victim, "SIGKILL");
  await until(() =>
    gateway
      .output()
      .includes(
        "put it back; a restart without it begins with an empty one; payments are refused until the ledger is back",
      ),
  );
  runs = 0;
  const refused = await Promise.all(Array.from({ length: 10 }, () => pay(payment)));
  expect(refused.map((response) => response.status)).toEqual(refused.map(() => 503));
  expect([runs, await statusOf("/free"), existsSync(join(state, "turnpike.db"))]).toEqual([0, 200, false]);
  rmdirSync(state);
  renameSync(`${state}.away`, state);
  await until(
    () => gateway.output().includes("payment: the ledger is back again; payments are accepted"),
    patient(20_000),
  );
  const sold = await Promise.all(Array.from({ length: 10 }, () => pay()));
  expect(sold.map((response) => response.status)).toEqual(sold.map(() => 200));
  await gateway.stop();
});

describe.skipIf(!disk.isMounted).each(["without a ledger", "with a ledger"])("a start on a full disk, %s", (before) => {
  test("serves free routes, refuses payments, and accepts them when there is space", async () => {
    if (before === "with a ledger") {
      await start();
      expect((await pay()).status).toBe(200);
      await gateway.stop();
    }
    disk.fill();
    await start();
    runs = 0;
    expect([await statusOf("/free"), await statusOf("/paid"), await statusOf("/.ready")]).toEqual([200, 402, 200]);
    const payment = signedPayment(Date.now() / 1000);
    const refused = await pay(payment);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
    expect(runs).toBe(1);
    expect(await unavailable()).toBe("1");
    expect(gateway.output()).toContain("payments are refused until there is space for the ledger");

    rmSync(join(disk.path, "filler"));
    await until(async () => (await pay(payment)).status === 200, patient(20_000), "the gateway sells again");
    expect(runs).toBe(2);
    await until(
      async () => (await unavailable()) === "0",
      patient(30_000),
      "the metric shows that the ledger responds",
    );
    expect(gateway.output()).toContain("there is space for the ledger again");
    // Each of the workers has its own ledger, which it opens by itself.
    const sold = await Promise.all(Array.from({ length: 10 }, () => pay()));
    expect(sold.map((response) => response.status)).toEqual(sold.map(() => 200));
    await gateway.stop();
  });
});
