/** `turnpike facilitator` as a process, with x402's own client and a real chain. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { hexToBytes } from "@noble/hashes/utils.js";
import { address as solanaAddress } from "@solana/kit";
import { HTTPFacilitatorClient } from "@x402/core/server";
import { until } from "../../lib/testing/until.ts";
import { startNodeProxy } from "../../payments/evm/testing/node-proxy.ts";
import { type Hex } from "../../payments/x402/address.ts";
import { HttpFacilitator } from "../../payments/facilitator/http-facilitator.ts";
import { type PaymentPayload, type PaymentRequirements } from "../../payments/x402/messages.ts";
import { addressOfPrivateKey, signHash } from "../../payments/signatures/signature.ts";
import { type Chain, CHAIN_SETUP_MS, hasChain, startChain, type TestToken } from "../../payments/testing/chain.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS, signedPayment } from "../../payments/testing/payment.ts";
import { authorizationHash } from "../../payments/signatures/typed-data.ts";
import { parseAssets, parseCallers, parseEndpoint, parseRate } from "./facilitator-options.ts";
import { keyBytes } from "../../payments/solana/address.ts";
import { solanaAccount } from "../../payments/solana/transfer.ts";
import { hasSolana, newSigner, SOLANA_DEVNET, SOLANA_USDC, SolanaChain } from "../../payments/testing/solana-chain.ts";
import { stockScheme } from "../../payments/testing/stock-solana.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

setDefaultTimeout(patient(30_000));

const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ADDRESS = addressOfPrivateKey(hexToBytes(KEY.slice(2)));
const ANY_PORT = ["--listen", "127.0.0.1:0"];
const folder = mkdtempSync(join(tmpdir(), "turnpike-facilitator-cli-"));
const running: { stop(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const program of running.splice(0)) await program.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], environment: Record<string, string> = {}) {
  const child = Bun.spawn([...COMMAND, "facilitator", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_HOME: folder, TURNPIKE_FACILITATOR_TOKEN: "", ...environment },
  });
  const said = { text: "" };
  const keep = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) said.text += decoder.decode(chunk, { stream: true });
  };
  const drained = Promise.all([keep(child.stdout), keep(child.stderr)]);
  const program = {
    said,
    async exit(): Promise<number> {
      await drained;
      return await child.exited;
    },
    async stop(): Promise<number> {
      child.kill("SIGTERM");
      return await program.exit();
    },
    /** The URL of the facilitator, as soon as it listens. */
    async url(): Promise<string> {
      const pattern = /listening\s+(\S+)\n/;
      await until(() => pattern.test(said.text) || child.exitCode !== null, 20_000, "the facilitator listens");
      const url = pattern.exec(said.text)?.[1];
      if (url === undefined) throw new Error(`Cannot start: ${said.text}`);
      return url;
    },
  };
  running.push(program);
  return program;
}

test("in test mode it records simulated transfers and remembers them after a restart", async () => {
  const first = run(["--test", ...ANY_PORT]);
  const payment = signedPayment(Date.now() / 1000);
  const client = new HttpFacilitator({ url: await first.url(), timeoutMs: 5000 });
  const settled = await client.settle(payment, REQUIREMENTS);
  expect(settled).toMatchObject({ kind: "settled", payer: PAYER });
  expect(first.said.text).toContain("mode      test mode: signatures are checked, no money moves");
  expect((await client.supported()).map(({ isSimulated }) => isSimulated)).toEqual([true, true]);
  expect(await first.stop()).toBe(0);
  const second = run(["--test", "--listen", `unix:${join(folder, "facilitator.sock")}`]);
  const url = await second.url();
  expect(url).toBe(`unix:${join(folder, "facilitator.sock")}`);
  expect(statSync(join(folder, "facilitator.sock")).mode & 0o777).toBe(0o600);
  const again = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect<object>(await again.find(payment, REQUIREMENTS)).toEqual(settled);
});

test("beside callers with names, only the operator's token opens the status", async () => {
  const environment = { SHOP: "shop-token", OPERATOR: "operator-token", TURNPIKE_FACILITATOR_TOKEN: "default-token" };
  const program = run(["--test", ...ANY_PORT, "--caller", "shop=SHOP", "--token-env", "OPERATOR"], environment);
  const url = await program.url();
  const status = async (token: string) =>
    (await fetch(`${url}/status`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status("operator-token"), await status("shop-token"), await status("default-token")]).toEqual([
    200, 403, 401,
  ]);
  expect(program.said.text).toContain("callers   shop, the operator\n");
  const same = run(["--test", ...ANY_PORT, "--caller", "shop=SHOP", "--token-env", "SHOP"], environment);
  expect(await same.exit()).toBe(2);
  expect(same.said.text).toContain("a --caller has the token of --token-env");
});

const REFUSED: readonly (readonly [name: string, args: readonly string[], code: number, said: RegExp])[] = [
  ["test mode for other machines", ["--test", "--listen", "0.0.0.0:0"], 1, /Cannot listen on 0\.0\.0\.0 with --test/],
  ["test mode with a chain", ["--test", "--chain", "base=RPC"], 2, /--test excludes --config/],
  ["test mode with a token", ["--test", "--any-asset"], 2, /--test excludes --config/],
  ["an invalid token", ["--chain", "base=RPC", "--asset", "base:USDC"], 2, /--asset takes NETWORK:ADDRESS/],
  ["a token and every token", ["--chain", "base=RPC", "--any-asset", "--asset", "base:0x"], 2, /--asset has no effect/],
  ["no chain", ANY_PORT, 2, /Name a chain with --chain/],
  ["a chain without its variable", ["--chain", "base"], 2, /--chain takes NETWORK=VARIABLE/],
  ["an unknown chain", ["--chain", "moon=RPC"], 1, /x402\.chains\[0\]\.network: expected an EVM chain/],
  ["a variable that is not set", ["--chain", "base=NO_SUCH_RPC"], 1, /the environment variable NO_SUCH_RPC is not set/],
  ["an endpoint in place of its variable", ["--chain", "base=https://secret"], 2, /name of an environment variable/],
  ["no place", ["--test", "--listen", "8402"], 2, /is neither HOST:PORT nor unix:\/path/],
  ["a token that is not set", ["--test", "--token-env", "NO_SUCH_TOKEN"], 1, /NO_SUCH_TOKEN is not set/],
];

for (const [name, args, code, said] of REFUSED) {
  test(`it does not start with ${name}`, async () => {
    const program = run(args);
    expect(await program.exit()).toBe(code);
    expect(program.said.text).toMatch(said);
    expect(program.said.text).not.toContain("https://secret");
  });
}

test("addresses to listen on are parsed", () => {
  expect(parseEndpoint("[::1]:8402")).toEqual({ hostname: "::1", port: 8402 });
  expect(parseEndpoint("localhost:0")).toEqual({ hostname: "localhost", port: 0 });
  expect(parseEndpoint("unix:/run/a.sock")).toEqual({ unix: "/run/a.sock" });
  for (const wrong of ["a", ":1", "::1:1", "a:99999", "a:b", "http://a:1", "unix:a"]) {
    expect(() => parseEndpoint(wrong)).toThrow("is neither HOST:PORT nor unix:/path");
  }
});

test("callers and their rate are parsed", () => {
  const environment = { A: "a-token", B: "b-token", SAME: "a-token" };
  expect(parseCallers(["shop=A", "other=B"], environment)).toEqual([
    { name: "shop", token: "a-token" },
    { name: "other", token: "b-token" },
  ]);
  for (const wrong of [["shop"], ["=A"], ["Shop=A"], ["a=A", "a=B"], ["a=A", "b=SAME"], ["a=NO_SUCH"], ["a=1x"]]) {
    expect(() => parseCallers(wrong, environment)).toThrow();
  }
  expect([parseRate(undefined), parseRate("50")]).toEqual([undefined, 50]);
  for (const wrong of ["0", "-1", "1.5", "x", "1000000"]) expect(() => parseRate(wrong)).toThrow("--rate takes");
});

test("tokens are parsed, at most 64", () => {
  const address = `0x${"ab".repeat(20)}` as const;
  expect(parseAssets([`base:${address}`])).toEqual([{ network: "eip155:8453", address }]);
  expect(parseAssets([`eip155:31337:${address}`])).toEqual([{ network: "eip155:31337", address }]);
  for (const wrong of [address, `moon:${address}`, `base:${address}0`, "base:USDC", `base:${address}:`, ""]) {
    expect(() => parseAssets([wrong])).toThrow("--asset takes NETWORK:ADDRESS");
  }
  expect(parseAssets(Array.from({ length: 64 }, () => `base:${address}`))).toHaveLength(64);
  expect(() => parseAssets(Array.from({ length: 65 }, () => `base:${address}`))).toThrow("64 times");
});

describe.skipIf(!hasChain)("on a chain", () => {
  let chain: Chain;
  let token: TestToken;
  let requirements: PaymentRequirements;

  beforeAll(async () => {
    chain = await startChain();
    token = await chain.deployToken();
    await token.mint(PAYER, 1_000_000n);
    const { name, version, address: asset } = token;
    requirements = { ...REQUIREMENTS, network: chain.network, asset, extra: { name, version } };
  }, CHAIN_SETUP_MS);

  afterAll(() => chain.close());

  const taking = (): string[] => ["--asset", `${chain.network}:${token.address}`];

  function payment(): PaymentPayload {
    const nonce: Hex = `0x${randomBytes(32).toString("hex")}`;
    const authorization = { ...signedPayment(Date.now() / 1000).payload.authorization, nonce };
    const { name, version, address: asset } = token;
    const hash = authorizationHash({ name, version, network: chain.network, asset }, authorization);
    const signature = signHash(hash, hexToBytes(PRIVATE_KEY.slice(2)));
    return { x402Version: 2, accepted: requirements, payload: { signature, authorization } };
  }

  const secrets = (): Record<string, string> => ({ MY_RPC: chain.rpcUrl, MY_KEY: KEY, MY_TOKEN: "the-token" });

  test("it serves x402's own client with the token, and prints its address and gas", async () => {
    await chain.fund(ADDRESS);
    const flags = ["--chain", `${chain.network}=MY_RPC`, "--key-env", "MY_KEY", "--token-env", "MY_TOKEN", ...taking()];
    const program = run([...flags, ...ANY_PORT], secrets());
    const url = await program.url();
    expect(program.said.text).toContain(`address   ${ADDRESS}\n`);
    expect(program.said.text).toMatch(/chain {5}Base Sepolia \(eip155:84532\), 1000(?:\.0+)? for gas/);
    const headers = { Authorization: "Bearer the-token" };
    const all = { verify: headers, settle: headers, supported: headers };
    const client = new HTTPFacilitatorClient({ url, createAuthHeaders: async () => all });
    const supported = await client.getSupported();
    expect(supported.signers).toEqual({ [chain.network]: [ADDRESS] });
    expect(supported.kinds.map(({ scheme, network }) => `${scheme} ${network}`)).toContain(`exact ${chain.network}`);
    const before = await token.balanceOf(PAYEE);
    // The SDK types networks as templates and payments by scheme.
    const call = [payment(), requirements] as never as Parameters<typeof client.settle>;
    expect(await client.verify(...call)).toMatchObject({ isValid: true });
    const settled = await client.settle(...call);
    expect(settled).toMatchObject({ success: true, network: chain.network });
    expect(await client.settle(...call)).toEqual(settled);
    expect(await token.balanceOf(PAYEE)).toBe(before + BigInt(requirements.amount));
    expect(await program.stop()).toBe(0);
    expect(program.said.text).not.toMatch(/warning|the-token/);
    expect(program.said.text).not.toContain(chain.rpcUrl);
  });

  test("it warns if there is little gas, and takes chains from a configuration", async () => {
    await chain.fund(ADDRESS, 1n);
    const x402 = {
      facilitator_url: "http://127.0.0.1:8402",
      embedded: { key_env: "MY_KEY" },
      chains: [{ network: chain.network, rpc_url_env: "MY_RPC", poll_ms: 20 }],
    };
    const file = join(folder, "turnpike.json");
    const { network } = chain;
    const { name: extra_name, version: extra_version, address: asset } = token;
    const known = { price: "$0.01", asset: "USDC", network, pay_to: PAYEE };
    const accepts = [{ ...known, price: "10000", asset, extra_name, extra_version }];
    const config = {
      upstreams: [{ name: "api", servers: [{ address: "127.0.0.1", port: 9 }] }],
      routes: [{ path_prefix: "/", upstream: "api", x402: { ...known, accepts } }],
      x402,
    };
    writeFileSync(file, JSON.stringify(config));
    const program = run(["--config", file, ...ANY_PORT], secrets());
    const facilitator = new HttpFacilitator({ url: await program.url(), timeoutMs: 5000 });
    expect(await facilitator.verify(payment(), requirements)).toMatchObject({ kind: "valid" });
    expect(program.said.text).toContain(`takes     ${asset} on Base Sepolia (eip155:84532)\n`);
    await until(() => program.said.text.includes("pays the gas of fewer than 10 settlements"));
    expect(program.said.text).toMatch(/warning: Base Sepolia \(eip155:84532\): 0\.0+1 pays the gas/);
  });

  test("an unknown token is refused without a request to the node, and accepted with --any-asset", async () => {
    const proxy = startNodeProxy(chain.rpcUrl);
    try {
      const environment = { ...secrets(), MY_RPC: proxy.rpcUrl };
      const flags = ["--chain", `${chain.network}=MY_RPC`, "--key-env", "MY_KEY", ...ANY_PORT];
      const program = run(flags, environment);
      const url = await program.url();
      expect(program.said.text).toContain(
        "takes     USDC, 0x036CbD53842c5426634e7929541eC2318f3dCF7e on Base Sepolia (eip155:84532)\n",
      );
      const client = new HTTPFacilitatorClient({ url });
      // This asks the node for the chain's id, which is then cached for a minute.
      await client.getSupported();
      const asked = proxy.methods.length;
      // The SDK types networks as templates and payments by scheme.
      const call = [payment(), requirements] as never as Parameters<typeof client.settle>;
      const reason = "invalid_payment_requirements";
      expect(await client.verify(...call)).toMatchObject({ isValid: false, invalidReason: reason });
      expect(await client.settle(...call)).toMatchObject({ success: false, errorReason: reason, transaction: "" });
      const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
      expect(await facilitator.settle(payment(), requirements)).toEqual({ kind: "refused", reason });
      expect(await facilitator.find(payment(), requirements)).toMatchObject({ kind: "unknown" });
      // On a busy machine, the watch of the gas asks meanwhile, or the chain's id is asked for again.
      const own = new Set(["eth_getBalance", "eth_chainId"]);
      expect(proxy.methods.slice(asked).filter((method) => !own.has(method))).toEqual([]);
      await program.stop();
      const open = run([...flags, "--any-asset"], environment);
      const any = new HttpFacilitator({ url: await open.url(), timeoutMs: 5000 });
      expect(await any.verify(payment(), requirements)).toMatchObject({ kind: "valid" });
      expect(open.said.text).toContain("takes     every token\n");
      expect(open.said.text).not.toContain("--any-asset:");
    } finally {
      await proxy.close();
    }
  });

  test("accepting every token from other machines causes a warning", async () => {
    const flags = [
      "--chain",
      `${chain.network}=MY_RPC`,
      "--key-env",
      "MY_KEY",
      "--token-env",
      "MY_TOKEN",
      "--any-asset",
    ];
    const program = run([...flags, "--listen", "0.0.0.0:0"], secrets());
    await program.url();
    await until(() => program.said.text.includes("warning: --any-asset: callers with the token"));
  });

  test("the facilitator finishes a settlement that waits for its block before it stops", async () => {
    await chain.fund(ADDRESS);
    const program = run(
      ["--chain", `${chain.network}=MY_RPC`, "--key-env", "MY_KEY", ...taking(), ...ANY_PORT],
      secrets(),
    );
    const facilitator = new HttpFacilitator({ url: await program.url(), timeoutMs: 20_000 });
    await chain.setMining(false);
    const settling = facilitator.settle(payment(), requirements);
    await until(async () => (await chain.rpc("eth_getBlockTransactionCountByNumber", ["pending"])) === "0x1");
    const stopped = program.stop();
    await until(async () => (await facilitator.supported().then(String, String)).includes("it responded with 503"));
    await chain.setMining(true);
    await chain.mine();
    expect(await settling).toMatchObject({ kind: "settled" });
    expect(await stopped).toBe(0);
  });
});

test.skipIf(!hasSolana)("it settles on Solana for x402's own client, with a key for fees and no other", async () => {
  const chain = new SolanaChain();
  const [payer, payee] = [await newSigner(), await newSigner()];
  chain.fund(payer.address, 10_000n);
  chain.fund(payee.address, 0n);
  const account = solanaAccount(Uint8Array.from(randomBytes(32)));
  chain.airdrop(solanaAddress(account.address));
  const key = JSON.stringify([...account.seed, ...(keyBytes(account.address) ?? [])]);
  const flags = ["--chain", "solana-devnet=MY_RPC", "--solana-key-env", "MY_KEY", ...ANY_PORT];
  const program = run(flags, { MY_RPC: chain.url, MY_KEY: key });
  const client = new HTTPFacilitatorClient({ url: await program.url() });
  const { kinds, signers } = await client.getSupported();
  const extra = { feePayer: account.address };
  expect(kinds).toEqual([{ x402Version: 2, scheme: "exact", network: SOLANA_DEVNET, extra }]);
  expect(signers).toEqual({ [SOLANA_DEVNET]: [account.address] });
  expect(program.said.text).toContain(`address   ${account.address}\n`);
  const terms = { ...REQUIREMENTS, network: SOLANA_DEVNET, asset: SOLANA_USDC, payTo: payee.address, extra } as never;
  const made = await stockScheme(chain, payer).createPaymentPayload(2, terms);
  const call = [{ ...made, accepted: terms }, terms] as never as Parameters<typeof client.settle>;
  expect(await client.verify(...call)).toMatchObject({ isValid: true, payer: payer.address });
  const [transaction] = [(await client.settle(...call)).transaction];
  expect([transaction, chain.balance(payee.address)]).toEqual([chain.executed.at(-1) ?? "", 10_000n]);
  // The SDK gives the reason in its error or in its result.
  const again = await client.settle(...call).catch((error: unknown) => error);
  expect(again).toMatchObject({ errorReason: "duplicate_settlement" });
  await chain.close();
});
