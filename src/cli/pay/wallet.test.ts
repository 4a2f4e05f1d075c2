import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address } from "../../payments/x402/address.ts";
import { encodeHeader } from "../../payments/x402/header.ts";
import { eip3009PaymentSchema } from "../../payments/x402/messages.ts";
import { decodeHeader } from "../../payments/x402/header.ts";
import { CHAIN_SETUP_MS, type Chain, hasChain, startChain, type TestToken } from "../../payments/testing/chain.ts";
import { PAYEE, PAYER, PRIVATE_KEY, REQUIREMENTS } from "../../payments/testing/payment.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

/** Stands for an API key in the URL of an RPC endpoint. */
const SECRET = "s3cret-api-key";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "turnpike-wallet-"));
});

afterEach(() => rmSync(home, { recursive: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function turnpike(args: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Ran> {
  const child = Bun.spawn([...COMMAND, ...args], {
    env: { ...process.env, TURNPIKE_HOME: home, ...env },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, err };
}

test("a key is read from standard input, once, into a file that only its owner can read", async () => {
  const made = await turnpike(["wallet", "import"], {}, `${PRIVATE_KEY}\n`);
  expect([made.code, made.err]).toEqual([0, ""]);
  const path = join(home, "wallet.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await turnpike(["wallet", "address"])).out.trim().toLowerCase()).toBe(PAYER);
  const before = readFileSync(path, "utf8");
  const again = await turnpike(["wallet", "import"], {}, `0x${"1".repeat(64)}`);
  expect([again.code, readFileSync(path, "utf8")]).toEqual([1, before]);
  expect(JSON.parse((await turnpike(["wallet", "--json"])).out)).toMatchObject({ file: path, created: false });
});

for (const [name, input] of [
  ["nothing", ""],
  ["too short a key", PRIVATE_KEY.slice(0, -2)],
  ["a key of no account", "f".repeat(64)],
  ["far too much", PRIVATE_KEY.repeat(100)],
] as const) {
  test(`${name} is not a key, and the error does not repeat it`, async () => {
    const { code, out, err } = await turnpike(["wallet", "import"], {}, input);
    expect([code, out, existsSync(join(home, "wallet.json"))]).toEqual([1, "", false]);
    expect(err).toStartWith("turnpike wallet: Cannot use the key");
    if (input !== "") expect(err).not.toContain(input.slice(2, 20));
  });
}

test("a chain is asked only if its endpoint is named", async () => {
  const nowhere = await turnpike(["wallet", "balance"]);
  expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining("TURNPIKE_RPC_<chain id>")]);
  const base = await turnpike(["wallet", "balance", "--network", "base"]);
  expect(base.err).toContain("its RPC endpoint is not in $TURNPIKE_RPC_8453");
  const named = await turnpike(["wallet", "balance", "--network", "base", "--rpc-env", "MINE"]);
  expect(named.err).toContain("its RPC endpoint is not in $MINE");
});

for (const args of [
  ["balance", "--network", "nowhere"],
  ["balance", "--rpc-env", "X"],
  ["balance", "--network", "base", "--rpc-env", `https://a.example/${SECRET}`],
  ["address", "--network", "base"],
  ["burn"],
]) {
  test(`wallet ${args.join(" ")} is refused`, async () => {
    const { code, err } = await turnpike(["wallet", ...args]);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^turnpike wallet: .+ Run "turnpike wallet --help" for its usage\.\n$/),
    ]);
    expect(err).not.toContain(SECRET);
  });
}

test("the error for an unreachable endpoint does not contain its URL", async () => {
  const env = { TURNPIKE_RPC_8453: `http://127.0.0.1:1/${SECRET}` };
  const { code, out, err } = await turnpike(["wallet", "balance"], env);
  expect(code).toBe(1);
  expect(out).toBe("Base (eip155:8453)\n  Cannot query balances on Base (eip155:8453): no connection to the node\n");
  expect(out + err).not.toContain(SECRET);
  const junk = await turnpike(["wallet", "balance"], { TURNPIKE_RPC_8453: SECRET });
  expect(junk.out).toContain("is not an http or https URL");
  expect(junk.out + junk.err).not.toContain(SECRET);
});

describe.skipIf(!hasChain)("with a chain", () => {
  let chain: Chain;
  let token: TestToken;
  let allowed: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    chain = await startChain({ chainId: 31_337 });
    token = await chain.deployToken({ name: "Test: USD", version: "1" });
    allowed = `eip155:31337:${token.address}:${token.name}:${token.version}:6`;
    env = { TURNPIKE_RPC_31337: chain.rpcUrl };
  }, CHAIN_SETUP_MS);
  afterAll(() => chain.close());

  /** A new wallet with this amount of the token. */
  async function walletWith(amount: bigint): Promise<Address> {
    await turnpike(["wallet", "import"], {}, PRIVATE_KEY);
    await token.mint(PAYER, amount);
    return PAYER;
  }

  test("the balance is that of the chain", async () => {
    const back = await chain.snapshot();
    await chain.rpc("anvil_setBalance", [await walletWith(1_234_500n), "0xde0b6b3a7640000"]);
    const absent = `eip155:31337:${PAYEE}:Gone:1:6`;
    const args = ["wallet", "balance", "--allow-asset", allowed, "--allow-asset", absent];
    const { code, out } = await turnpike(args, env);
    expect([code, out]).toEqual([0, "eip155:31337\n  gas    1.00\n  Test: USD 1.2345\n  Gone   no such token\n"]);
    const json = await turnpike([...args, "--json", "--network", "eip155:31337", "--rpc-env", "MINE"], {
      MINE: chain.rpcUrl,
    });
    expect(JSON.parse(json.out)).toMatchObject({
      chains: [{ network: "eip155:31337", gas: "1.00", assets: [{ balance: "1.2345" }, { balance: null }] }],
    });
    await back();
  });

  test("an endpoint of another chain is detected", async () => {
    const { code, out } = await turnpike(["wallet", "balance"], { TURNPIKE_RPC_8453: chain.rpcUrl });
    expect([code, out]).toEqual([1, expect.stringContaining("the node's chain id is another network's")]);
  });

  test("a call pays on the chain on which the wallet has money, and by Permit2 if that is allowed", async () => {
    const back = await chain.snapshot();
    const here = { network: "eip155:31337", asset: token.address, extra: { name: token.name, version: "1" } };
    const permit = { ...here, amount: "1", extra: { ...here.extra, assetTransferMethod: "permit2" } };
    const accepts = [
      { ...REQUIREMENTS, ...permit },
      { ...REQUIREMENTS, amount: "1" },
      { ...REQUIREMENTS, ...here, amount: "2" },
    ];
    const paid: unknown[] = [];
    const shop = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const header = request.headers.get("payment-signature");
        const required = { x402Version: 2, resource: { url: request.url }, accepts };
        if (header === null) {
          return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
        }
        paid.push(decodeHeader(header));
        return Response.json({ title: "T", content: "C" });
      },
    });
    const call = ["call", "read", "u", "--gateway", shop.url.href, "--allow-asset", allowed];
    try {
      const gone = await turnpike(call, { ...env, TURNPIKE_RPC_84532: "http://127.0.0.1:1/" });
      // The Base Sepolia endpoint is unreachable, and the wallet has nothing on this chain.
      expect(gone.code).toBe(0);
      await walletWith(10n);
      rmSync(home, { recursive: true });
      await turnpike(["wallet", "import"], {}, PRIVATE_KEY);
      expect((await turnpike(call, env)).code).toBe(0);
      await token.approve(PAYER, "0x000000000022D473030F116dDEE9F6B43aC78BA3", 10n);
      expect((await turnpike(call, env)).code).toBe(0);
      expect(paid).toMatchObject([
        { accepted: { network: "eip155:84532", amount: "1" } },
        {
          accepted: { network: "eip155:31337", amount: "2" },
          payload: { authorization: { value: "2" } },
        },
        { accepted: { amount: "1" }, payload: { permit2Authorization: { permitted: { amount: "1" } } } },
      ]);
      expect(eip3009PaymentSchema.safeParse(paid[1]).success).toBe(true);
    } finally {
      await shop.stop(true);
      await back();
    }
  });

  test("a daily limit holds over several calls, and the signed total is shown", async () => {
    const shop = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        const required = { x402Version: 2, resource: { url: request.url }, accepts: [REQUIREMENTS] };
        const headers = { "payment-required": encodeHeader(required) };
        // The server takes the payment and sends no result: the payment counts until it expires.
        return request.headers.has("payment-signature")
          ? new Response("", { status: 500 })
          : new Response("", { status: 402, headers });
      },
    });
    const call = ["call", "read", "u", "--gateway", shop.url.href];
    expect((await turnpike(call, { TURNPIKE_MAX_TOTAL: "$0.015" })).err).toContain("500");
    const second = await turnpike(call, { TURNPIKE_MAX_TOTAL: "$0.015" });
    const held = String.raw`of it not charged, but signed until \d\d:\d\d UTC`;
    expect(second.err).toMatch(
      new RegExp(
        String.raw`: \$0\.01 of today's limit of \$0\.015 are used up, \$0\.01 ${held}; raise it with --max-total`,
      ),
    );
    expect((await turnpike([...call, "--max-total", "$0.02"])).err).toContain("500");
    expect((await turnpike(["wallet"])).out).toMatch(new RegExp(String.raw`today {4}\$0\.02 signed, \$0\.02 ${held}`));
    expect((await turnpike([...call, "--max-total", "free"])).code).toBe(2);
    await shop.stop(true);
  });
});
