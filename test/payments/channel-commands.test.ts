/** Commands, the typed client and MCP pay one gateway from channels, and its operator lists, claims and closes them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Turnpike } from "../../src/client/client.ts";
import { isObject } from "../../src/lib/is-object.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { openWallet, walletPath } from "../../src/payments/client/wallet.ts";
import { encodeCall, wordAt } from "../../src/payments/evm/node/abi.ts";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain } from "../../src/payments/testing/chain.ts";
import { placeChannels } from "../../src/payments/testing/channels.ts";
import { type Address } from "../../src/payments/x402/address.ts";
import { Admin, KEY, READ_KEY } from "../support/admin.ts";
import { serverAt } from "../support/gateway.ts";
import { COMMAND, Folder } from "../support/program.ts";
import { addressOf, freshKey } from "./market.ts";

setDefaultTimeout(patient(180_000));

/** The typed client pays with known tokens only. */
const USDC: Address = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

async function placeUsdc(chain: Chain): Promise<void> {
  await chain.place("Token", USDC);
  for (const [slot, text] of ["USDC", "2"].entries()) {
    const bytes = Buffer.alloc(32);
    bytes.write(text);
    bytes[31] = 2 * text.length;
    await chain.rpc("anvil_setStorageAt", [USDC, `0x${slot}`, `0x${bytes.toString("hex")}`]);
  }
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A payer with a wallet and 10 USDC. */
interface Buyer {
  readonly folder: Folder;
  readonly address: Address;
  readonly run: (...args: readonly string[]) => Promise<Ran>;
}

async function turnpike(args: readonly string[], env: Readonly<Record<string, string>>, input = ""): Promise<Ran> {
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { ...Bun.env, TURNPIKE_MAX_DEPOSIT: "", ...env },
    stdio: [Buffer.from(input), "pipe", "pipe"],
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

describe.skipIf(!hasChain)("channels", () => {
  const payee = addressOf(freshKey());
  const buyers: Buyer[] = [];
  let chain: Chain;
  let admin: Admin;
  let url: string;

  const origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url: asked }) =>
      asked.endsWith("/lines") ? new Response("1\n2\n3\n4\n5\n") : Response.json({ content: "the goods" }),
  });

  beforeAll(async () => {
    chain = await startChain();
    await placeChannels(chain);
    await placeUsdc(chain);
    const gasKey = freshKey();
    await chain.fund(addressOf(gasKey));
    const { network } = chain;
    const x402 = { price: "$0.01", asset: "USDC", network, pay_to: payee, scheme: "batch-settlement" };
    const chains = [{ network, rpc_url_env: "TEST_RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }];
    admin = await Admin.start({
      config: {
        x402: { enabled: true, embedded: { enabled: true }, chains, channels: { withdraw_delay_s: 900 } },
        upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
        routes: [
          { path_prefix: "/lines", upstream: "origin", x402: { ...x402, meter: { unit: "line", units: 2 } } },
          { path_prefix: "/", upstream: "origin", x402 },
        ],
        access_log: { enabled: false },
      },
      env: { TEST_RPC: chain.rpcUrl, TURNPIKE_FACILITATOR_KEY: gasKey, TURNPIKE_CHANNEL_KEY: freshKey() },
    });
    url = `http://127.0.0.1:${admin.port}`;
  }, CHAIN_SETUP_MS);

  afterAll(async () => {
    await admin?.stop();
    await origin.stop(true);
    await chain?.close();
    for (const { folder } of buyers) folder.remove();
  });

  async function balanceOf(owner: Address): Promise<bigint> {
    return wordAt(await chain.call({ to: USDC, data: encodeCall("balanceOf(address)", [owner]) }), 0) ?? 0n;
  }

  async function newBuyer(): Promise<Buyer> {
    const folder = new Folder();
    const env = { TURNPIKE_HOME: folder.path, TURNPIKE_RPC_84532: chain.rpcUrl };
    const { address } = openWallet(walletPath(env)).account;
    await chain.send({ to: USDC, data: encodeCall("mint(address,uint256)", [address, 10_000_000n]) });
    const buyer = { folder, address, run: (...args: readonly string[]) => turnpike(args, env) };
    buyers.push(buyer);
    return buyer;
  }

  const operate = (key: string, ...args: readonly string[]): Promise<Ran> =>
    turnpike(["channels", ...args], { TURNPIKE_ADMIN: admin.url, TURNPIKE_ADMIN_KEY: key });

  /** The newest channel of the payer, as the admin API shows it. */
  async function channelOf({ address }: Pick<Buyer, "address">): Promise<Record<string, unknown>> {
    const { body } = await admin.call("GET", "/v1/channels", { key: READ_KEY });
    const found: unknown = body.channels.find(({ payer }: { payer: string }) => payer === address.toLowerCase());
    if (!isObject(found)) throw new Error(`no channel of ${address}`);
    return found;
  }

  test("an operator lists, claims and closes channels by the API and by commands, and a reader only lists them", async () => {
    const [one, two] = [await newBuyer(), await newBuyer()];
    for (const { run } of [one, two]) {
      const paid = await run("pay", `${url}/goods`, "--max-deposit", "1");
      expect([paid.out, paid.code]).toEqual(['{"content":"the goods"}', 0]);
    }
    const sums = { standing: "open", balance: "100000", charged: "10000", claimed: "0", symbol: "USDC", reserved: "0" };
    const [first, second] = [await channelOf(one), await channelOf(two)];
    for (const channel of [first, second]) expect(channel).toMatchObject(sums);
    const ids = [String(first["id"]), String(second["id"])] as const;
    const older = await admin.call("GET", `/v1/channels?before=${ids[1]}`);
    expect([older.body.channels.map(({ id }: { id: string }) => id), older.body.more]).toEqual([[ids[0]], false]);
    expect((await admin.call("GET", "/v1/channels?before=0x00")).status).toBe(404);

    const shown = await operate(READ_KEY);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining(ids[0])]);
    expect(shown.out).toContain("\topen\t0.10 USDC\t0.01 USDC\t0.00 USDC\t");
    for (const [method, path] of [
      ["POST", "/v1/channels/claims"],
      ["DELETE", `/v1/channels/${ids[0]}`],
    ] as const) {
      expect((await admin.call(method, path, { key: READ_KEY })).status).toBe(403);
    }
    expect(await operate(READ_KEY, "close", ids[0])).toMatchObject({ code: 1, out: "" });
    expect(await channelOf(one)).toMatchObject(sums);

    expect((await admin.call("POST", "/v1/channels/claims")).body).toEqual({ channels: 2 });
    await until(async () => (await channelOf(one))["claimed"] === "10000", 60_000, "the claim of the API");
    await until(async () => (await balanceOf(payee)) === 20_000n, 60_000, "the transfer of the claims");
    await one.run("pay", `${url}/goods`, "--max-deposit", "1");
    expect(await operate(KEY, "claim")).toMatchObject({
      code: 0,
      out: "channels with charges that are claimed now: 1\n",
    });
    await until(async () => (await channelOf(one))["claimed"] === "20000", 60_000, "the claim of the command");

    expect(await operate(KEY, "close", ids[0])).toMatchObject({ code: 0, out: `${ids[0]} is closed within seconds\n` });
    const closing = await admin.call("DELETE", `/v1/channels/${ids[1].toUpperCase().replace("0X", "0x")}`);
    expect(closing.body).toMatchObject({ id: ids[1], standing: "closing" });
    expect((await admin.call("DELETE", `/v1/channels/${ids[1]}`)).status).toBe(409);
    expect((await admin.call("DELETE", "/v1/channels/0x00")).status).toBe(404);
    await until(async () => (await balanceOf(one.address)) === 9_980_000n, 60_000, "the rest of the first channel");
    await until(async () => (await balanceOf(two.address)) === 9_990_000n, 60_000, "the rest of the second channel");
    for (const [buyer, balance] of [
      [one, "20000"],
      [two, "10000"],
    ] as const) {
      await until(async () => (await channelOf(buyer))["standing"] === "open", 60_000, "the end of the refund");
      expect(await channelOf(buyer)).toMatchObject({ balance, charged: balance, claimed: balance });
    }
    // The wallet reads the chain when its voucher is refused, and then deposits again.
    const refused = await one.run("pay", `${url}/goods`, "--max-deposit", "1");
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("the seller has closed it")]);
    expect(await one.run("pay", `${url}/goods`, "--max-deposit", "1")).toMatchObject({ code: 0 });
    expect(await channelOf(one)).toMatchObject({ id: ids[0], balance: "120000", charged: "30000" });
    const withdrawn = await two.run("wallet", "channels", "withdraw", ids[1]);
    expect([withdrawn.code, withdrawn.err]).toEqual([1, expect.stringContaining("nothing is left in it")]);
    expect((await two.run("wallet", "channels")).out).toContain("  0.00 USDC left, 0.01 spent  ");
  });

  test("turnpike wallet channels lists the channels of --max-deposit, gets refunds and begins withdrawals", async () => {
    const { run, address } = await newBuyer();
    expect(await run("wallet", "channels")).toMatchObject({ code: 0, out: "no channels\n" });
    const little = await run("pay", `${url}/goods`, "--max-deposit", "0.005");
    expect([little.code, little.err]).toEqual([1, expect.stringContaining("channels may hold $0.005")]);
    for (const price of ["0.01", "0.02"]) {
      expect(await run("pay", `${url}/goods`, "--max-deposit", "0.05")).toMatchObject({ code: 0 });
      const host = `127.0.0.1:${admin.port}`;
      const { out } = await run("wallet", "channels", "list");
      expect(out).toContain(`  ${price === "0.01" ? "0.04" : "0.03"} USDC left, ${price} spent  `);
      expect(out).toContain(host);
    }
    expect(await balanceOf(address)).toBe(9_950_000n);
    const refunded = await run("wallet", "channels", "refund");
    expect([refunded.code, refunded.out]).toEqual([
      0,
      expect.stringMatching(/^0x[\da-f]{8} {2}refunded 0\.03 USDC, transaction 0x[\da-f]{64}\n$/),
    ]);
    expect(await balanceOf(address)).toBe(9_980_000n);
    expect(await run("wallet", "channels", "refund")).toMatchObject({ code: 0, out: "" });

    expect(await run("pay", `${url}/goods`, "--max-deposit", "0.05")).toMatchObject({ code: 0 });
    const [channel] = JSON.parse((await run("wallet", "channels", "--json")).out);
    expect(channel).toMatchObject({ balance: "70000", charged: "30000", symbol: "USDC" });
    const id = channel.id.slice(0, 10);
    await chain.fund(address);
    const begun = await run("wallet", "channels", "withdraw", id);
    expect([begun.code, begun.out]).toEqual([0, expect.stringContaining(`${id}  withdrawal begun, transaction 0x`)]);
    const early = await run("wallet", "channels", "withdraw", id);
    expect([early.code, early.err]).toEqual([1, expect.stringContaining("Cannot withdraw yet")]);
    expect((await run("wallet", "channels")).out).toContain("  being withdrawn\n");
    expect(await run("wallet", "channels", "withdraw", "0xabcdef")).toMatchObject({ code: 2, out: "" });
  });

  test("the typed client pays from one channel within maxDeposit", async () => {
    const { folder, address } = await newBuyer();
    const wallet = folder.file("wallet.json");
    const payments: string[] = [];
    const options = {
      url,
      wallet,
      maxDeposit: "0.05",
      onPayment: ({ price }: { price: string }) => payments.push(price),
    };
    const client = new Turnpike(options);
    for (let i = 0; i < 6; i++) {
      expect(await (await client.fetch("/goods")).json()).toEqual({ content: "the goods" });
    }
    expect(payments).toEqual(payments.map(() => "$0.01"));
    expect(payments).toHaveLength(6);
    expect(await channelOf({ address })).toMatchObject({ charged: "60000", balance: "100000" });
    expect(await balanceOf(address)).toBe(9_900_000n);
    expect(() => new Turnpike({ url, maxDeposit: "1" })).toThrow("Cannot pay from channels: name a wallet");
  });

  test("turnpike pay and the typed client pay for lines while they read them, within their price limit", async () => {
    const { folder, run } = await newBuyer();
    const paid = await run("pay", `${url}/lines`, "--max-deposit", "1");
    expect([paid.out, paid.code]).toEqual(["1\n2\n3\n4\n5\n", 0]);
    expect(paid.err).toContain("paid at most $0.02 further for the rest of the response");
    const options = { url, wallet: folder.file("wallet.json"), maxDeposit: "1" };
    expect(await (await new Turnpike(options).fetch("/lines")).text()).toBe("1\n2\n3\n4\n5\n");
    const cheap = await run("pay", `${url}/lines`, "--max-deposit", "1", "--max-price", "0.02");
    expect([cheap.out, cheap.code]).toEqual(["1\n2\n3\n4\n", 1]);
    expect(cheap.err).toContain("Cannot pay further for the response: the limit is $0.02");
  });

  test("turnpike mcp pays tool calls from one channel", async () => {
    const { folder, address } = await newBuyer();
    const client = new Client({ name: "agent", version: "1" });
    const [command, ...args] = [...COMMAND, "mcp", "--gateway", url, "--max-deposit", "0.05"];
    await client.connect(
      new StdioClientTransport({ command, args, env: { TURNPIKE_HOME: folder.path }, stderr: "pipe" }),
    );
    try {
      for (let i = 0; i < 2; i++) {
        const result = await client.callTool({ name: "scrape", arguments: { url: "https://example.com/" } });
        expect(result).toMatchObject({ structuredContent: { content: "the goods" } });
      }
    } finally {
      await client.close();
    }
    expect(await channelOf({ address })).toMatchObject({ charged: "20000", balance: "50000" });
    expect(await balanceOf(address)).toBe(9_950_000n);
  });
});
