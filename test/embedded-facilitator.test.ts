/** The gateway with its own key on a real chain: processes, signals and reloads with one series of nonces. */
import { Database } from "bun:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Address, type Hex } from "../src/payments/x402/address.ts";
import { decodeHeader, encodeHeader } from "../src/payments/x402/header.ts";
import { type PaymentRequirements, paymentRequiredSchema, receiptSchema } from "../src/payments/x402/messages.ts";
import { addressOfPrivateKey, signHash } from "../src/payments/signatures/signature.ts";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain, type TestToken } from "../src/payments/testing/chain.ts";
import { PAYEE, PAYER, PRIVATE_KEY } from "../src/payments/testing/payment.ts";
import { type Authorization, authorizationHash } from "../src/payments/signatures/typed-data.ts";
import { serverAt } from "./support/gateway.ts";
import { descendants, Folder, Program, until } from "./support/program.ts";
import { patient } from "../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const OTHER_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const PRICE = 10_000n;

function accountOf(key: string): Address {
  return addressOfPrivateKey(hexToBytes(key.slice(2)));
}

async function priceOf(url: string): Promise<PaymentRequirements> {
  const unpaid = await fetch(url, { keepalive: false });
  const required = paymentRequiredSchema.parse(decodeHeader(unpaid.headers.get("payment-required") ?? ""));
  const [accepted] = required.accepts;
  if (accepted === undefined) throw new Error("Cannot buy: nothing is for sale");
  return accepted;
}

/** Folders with sockets of supervisors. */
function sockets(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^turnpike-[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name));
}

describe.skipIf(!hasChain)("the embedded facilitator", () => {
  let chain: Chain;
  let token: TestToken;
  let origin: Bun.Server<undefined>;
  let folder: Folder;
  const programs: Program[] = [];

  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deployToken();
    await token.mint(PAYER, 1_000_000_000n);
    for (const key of [KEY, OTHER_KEY]) await chain.fund(accountOf(key));
    origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("the goods") });
  }, CHAIN_SETUP_MS);

  afterAll(async () => {
    await origin.stop(true);
    await chain.close();
  });

  beforeEach(() => {
    folder = new Folder();
  });

  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.stop()));
    folder.remove();
  });

  function configOf(x402: object = {}, workers = 1): object {
    const terms = {
      price: String(PRICE),
      asset: token.address,
      network: chain.network,
      pay_to: PAYEE,
      extra_name: token.name,
      extra_version: token.version,
    };
    return {
      server: { address: "127.0.0.1", port: 0, workers },
      state_path: folder.path,
      x402: {
        enabled: true,
        require_facilitator: true,
        embedded: { enabled: true, key_env: "EMBEDDED_KEY" },
        chains: [{ network: chain.network, rpc_url_env: "EMBEDDED_RPC", poll_ms: 20 }],
        ...x402,
      },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [{ path_prefix: "/paid", upstream: "origin", x402: terms }],
    };
  }

  function run(config: object, environment: Record<string, string> = {}): Program {
    const secrets = { EMBEDDED_KEY: KEY, OTHER_KEY, EMBEDDED_RPC: chain.rpcUrl };
    const program = new Program(["--config", folder.write("turnpike.json", config)], {
      env: { ...secrets, ...environment },
    });
    programs.push(program);
    return program;
  }

  async function serve(config: object): Promise<{ program: Program; url: string }> {
    const program = run(config);
    const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
    return { program, url: `http://127.0.0.1:${port}/paid` };
  }

  function pay(accepted: PaymentRequirements): string {
    const nonce: Hex = `0x${randomBytes(32).toString("hex")}`;
    const authorization: Authorization = {
      from: PAYER,
      to: PAYEE,
      value: accepted.amount,
      validAfter: "0",
      validBefore: String(Math.floor(Date.now() / 1000) + accepted.maxTimeoutSeconds),
      nonce,
    };
    const { name, version, address: asset } = token;
    const hash = authorizationHash({ name, version, network: chain.network, asset }, authorization);
    const signature = signHash(hash, hexToBytes(PRIVATE_KEY.slice(2)));
    return encodeHeader({ x402Version: 2, accepted, payload: { signature, authorization } });
  }

  /** A dead process holds its payments until its leases expire. */
  function letLeasesExpire(): void {
    const database = new Database(folder.file("turnpike.db"));
    database.run("PRAGMA busy_timeout = 5000");
    database.run("UPDATE payments SET held_until = 1 WHERE held_until > 0");
    database.close();
  }

  /** Buys once as a new client, on its own connection, so that any worker can get it. */
  async function buy(url: string): Promise<{ status: number; transaction: string }> {
    const headers = { "payment-signature": pay(await priceOf(url)) };
    const response = await fetch(url, { headers, keepalive: false });
    await response.text();
    const receipt = receiptSchema.safeParse(decodeHeader(response.headers.get("payment-response") ?? ""));
    return { status: response.status, transaction: receipt.data?.transaction ?? "" };
  }

  async function senderOf(transaction: string): Promise<string> {
    const found: unknown = await chain.rpc("eth_getTransactionByHash", [transaction]);
    return typeof found === "object" && found !== null ? String(Reflect.get(found, "from")) : "";
  }

  test("settles in the gateway's process", async () => {
    const { program, url } = await serve(configOf());
    const before = await token.balanceOf(PAYEE);
    const { status, transaction } = await buy(url);
    expect([status, await senderOf(transaction)]).toEqual([200, accountOf(KEY)]);
    expect(await token.balanceOf(PAYEE)).toBe(before + PRICE);
    const metrics = await (await fetch(new URL("/metrics", url))).text();
    expect(metrics).toMatch(/turnpike_facilitator_requests_total\{operation="settle",outcome="ok"\} 1\n/);
    expect(metrics).toContain('turnpike_facilitator_breakers_open{facilitator="other"} 0\n');
    expect(program.output).not.toContain(chain.rpcUrl);
  });

  test("settles for two workers with two keys while the preferred facilitator is down, and shows keys and gas", async () => {
    const facilitators = [{ name: "hosted", url: "http://127.0.0.1:9" }, { name: "embedded" }];
    const signers = [
      { type: "env", key_env: "EMBEDDED_KEY" },
      { type: "env", key_env: "OTHER_KEY" },
    ];
    for (const key of [KEY, OTHER_KEY]) await chain.fund(accountOf(key));
    const x402 = { require_facilitator: false, facilitators, embedded: { enabled: true, signers } };
    const { program, url } = await serve(configOf(x402, 2));
    const before = await token.balanceOf(PAYEE);
    const sold = await Promise.all(Array.from({ length: 12 }, () => buy(url)));
    expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 200));
    expect(await token.balanceOf(PAYEE)).toBe(before + 12n * PRICE);
    const senders = await Promise.all(sold.map(({ transaction }) => senderOf(transaction)));
    expect(new Set(senders)).toEqual(new Set([accountOf(KEY), accountOf(OTHER_KEY)]));
    const database = new Database(folder.file("turnpike.db"), { readonly: true });
    expect(database.query("SELECT DISTINCT facilitator FROM payments").all()).toEqual([{ facilitator: "embedded" }]);
    database.close();
    await until("the gas is read", async () => {
      const metrics = await (await fetch(new URL("/metrics", url))).text();
      return /turnpike_gas_balance\{chain="0"\} (?:1000|9\d\d\.\d+)\n/.test(metrics) ? true : undefined;
    });
    expect(program.output).not.toContain(chain.rpcUrl);
  });

  test("settles for several workers with one key, and the restart of one worker changes nothing", async () => {
    const others = new Set(sockets());
    const { program, url } = await serve(configOf({}, 2));
    const own = sockets().filter((name) => !others.has(name));
    expect(own.length).toBeGreaterThanOrEqual(1);
    const before = await token.balanceOf(PAYEE);
    const first = await Promise.all(Array.from({ length: 8 }, () => buy(url)));
    const workers = descendants(program.pid, "/process/workers/worker.");
    process.kill(workers[0] ?? Number.NaN, "SIGKILL");
    await program.sees(/ended; starting another/);
    await until("two workers again", () => {
      const now = descendants(program.pid, "/process/workers/worker.").filter((pid) => pid !== workers[0]);
      return now.length === 2 ? now : undefined;
    });
    const second = await Promise.all(Array.from({ length: 8 }, () => buy(url)));
    const all = [...first, ...second];
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(new Set(all.map(({ transaction }) => transaction)).size).toBe(16);
    expect(await token.balanceOf(PAYEE)).toBe(before + 16n * PRICE);
    program.kill("SIGTERM");
    expect(await program.exit()).toBe(0);
    expect(own.filter((name) => existsSync(join(tmpdir(), name)))).toEqual([]);
  });

  test("the settlement of a payment survives the death of its worker while it waits for a block", async () => {
    const { program, url } = await serve(configOf({}, 2));
    const before = await token.balanceOf(PAYEE);
    const headers = { "payment-signature": pay(await priceOf(url)) };
    await chain.setMining(false);
    const lost = fetch(url, { headers, keepalive: false }).then(
      () => "answered",
      () => "lost",
    );
    await until("the transaction", async () =>
      (await chain.rpc("eth_getBlockTransactionCountByNumber", ["pending"])) === "0x1" ? true : undefined,
    );
    const workers = descendants(program.pid, "/process/workers/worker.");
    expect(workers).toHaveLength(2);
    for (const worker of workers) process.kill(worker, "SIGKILL");
    expect(await lost).toBe("lost");
    await chain.setMining(true);
    await chain.mine();
    await until("two workers again", () => {
      const now = descendants(program.pid, "/process/workers/worker.").filter((pid) => !workers.includes(pid));
      return now.length === 2 ? now : undefined;
    });
    const again = await until("the response", async () => {
      letLeasesExpire();
      const response = await fetch(url, { headers, keepalive: false }).catch(() => undefined);
      return response?.status === 200 ? response : undefined;
    });
    expect(await again.text()).toBe("the goods");
    expect(await token.balanceOf(PAYEE)).toBe(before + PRICE);
  });

  test("a reload changes the key, and a reload with an invalid key changes nothing", async () => {
    const { program, url } = await serve(configOf({}, 2));
    expect(await senderOf((await buy(url)).transaction)).toBe(accountOf(KEY));
    folder.write("turnpike.json", configOf({ embedded: { enabled: true, key_env: "NO_SUCH_KEY" } }, 2));
    program.kill("SIGHUP");
    await program.sees(/x402\.embedded\.key_env: the environment variable NO_SUCH_KEY is not set/);
    expect(await senderOf((await buy(url)).transaction)).toBe(accountOf(KEY));
    folder.write("turnpike.json", configOf({ embedded: { enabled: true, key_env: "OTHER_KEY" } }, 2));
    program.kill("SIGHUP");
    await program.sees(/reloaded /);
    expect(await senderOf((await buy(url)).transaction)).toBe(accountOf(OTHER_KEY));
  });

  test("does not start if a required facilitator is unreachable, and shows no secret", async () => {
    const program = run(configOf(), { EMBEDDED_RPC: "http://127.0.0.1:1/secret" });
    expect(await program.exit()).toBe(1);
    expect(program.output).toContain("routes[0].x402: Cannot query what the facilitator supports");
    expect(program.output).not.toMatch(/secret|127\.0\.0\.1:1/);
  });

  test("starts without an optional facilitator, with a warning, and payments get 503 until it is available", async () => {
    const program = run(configOf({ require_facilitator: false }), { EMBEDDED_RPC: "http://127.0.0.1:1/secret" });
    const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
    await program.sees(/warning: routes\[0\]\.x402: Cannot query what the facilitator supports/);
    expect((await buy(`http://127.0.0.1:${port}/paid`)).status).toBe(503);
    expect(program.output).not.toMatch(/secret|127\.0\.0\.1:1\b/);
  });
});
