/** Several keys, in this process and behind signers, on a real chain: no nonce is used twice or left out. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../lib/testing/until.ts";
import { patient } from "../../lib/testing/patience.ts";
import { HttpFacilitator } from "../facilitator/http-facilitator.ts";
import { type Address } from "../x402/address.ts";
import { type Eip3009Payment } from "../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../testing/chain.ts";
import { PAYEE } from "../testing/payment.ts";
import { freshAccount, keyOf, openShop, type Shop } from "./testing/shop.ts";
import { DOUBLES, startSignerDouble } from "./testing/signer-doubles.ts";
import { COMMAND } from "../../../test/support/program.ts";

setDefaultTimeout(patient(60_000));

const SALES = 50;

describe.skipIf(!hasChain)("with a chain", () => {
  let shop: Shop;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-pool-"));
  beforeAll(async () => {
    shop = await openShop();
  }, CHAIN_SETUP_MS);
  afterAll(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  async function payments(count: number): Promise<readonly Eip3009Payment[]> {
    return await Promise.all(Array.from({ length: count }, async () => await shop.pay(await shop.payer())));
  }

  /** The number of transactions of each account. Throws if one waits for a nonce that no transaction has. */
  async function counts(accounts: readonly Address[]): Promise<number[]> {
    await shop.chain.mine();
    const status = (await shop.chain.rpc("txpool_status")) as { queued: string; pending: string };
    expect(status).toEqual({ pending: "0x0", queued: "0x0" });
    const read = async (account: Address): Promise<number> =>
      Number(await shop.chain.rpc("eth_getTransactionCount", [account, "latest"]));
    return await Promise.all(accounts.map(read));
  }

  test("fifty settlements at once are shared by three keys, one here, one at AWS and one at Google", async () => {
    const account = freshAccount();
    using aws = startSignerDouble("aws_kms");
    using google = startSignerDouble("gcp_kms");
    const accounts = [account.address, aws.address, google.address];
    for (const address of accounts) await shop.chain.fund(address);
    const slow = { timeout_ms: patient(4000) };
    const facilitator = await shop.facilitator({
      signers: [
        { type: "key", key: keyOf(account) },
        { ...aws.options, ...slow },
        { ...google.options, ...slow },
      ],
    });
    const before = await shop.token.balanceOf(PAYEE);
    const sold = await payments(SALES);
    const settled = await Promise.all(sold.map((payment) => facilitator.settle(payment, shop.requirements)));
    expect(settled.map(({ kind }) => kind)).toEqual(sold.map(() => "settled"));
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + BigInt(SALES) * BigInt(shop.requirements.amount));
    const used = await counts(accounts);
    expect(used.reduce((sum, count) => sum + count)).toBe(SALES);
    expect(Math.min(...used)).toBeGreaterThan(5);
  });

  test.each(DOUBLES)("%s: while it is away nothing is sent, with the reason, and no nonce is lost", async (kind) => {
    using double = startSignerDouble(kind);
    await shop.chain.fund(double.address);
    const options = { ...double.options, timeout_ms: patient(1000) } as typeof double.options;
    const facilitator = await shop.facilitator({ signers: [options] });
    const [first, second] = await payments(2);
    if (first === undefined || second === undefined) throw new Error("unreachable");
    for (const fault of ["other", "down"] as const) {
      double.fault = fault;
      const away = await facilitator.settle(first, shop.requirements);
      expect(away).toMatchObject({ kind: "unknown", isUnsent: true, transaction: "" });
      expect((away as { cause: string }).cause).toMatch(
        /did not sign: .*: nothing was sent$|a short time ago: nothing was sent$/,
      );
    }
    double.fault = "none";
    // It rests for a moment.
    await until(
      async () => (await facilitator.settle(first, shop.requirements)).kind === "settled",
      patient(20_000),
      "the signer is asked again",
    );
    expect((await facilitator.settle(second, shop.requirements)).kind).toBe("settled");
    expect(await counts([double.address])).toEqual([2]);
  });

  test("if one key cannot pay and one signer is away, the other keys settle all", async () => {
    const rich = freshAccount();
    const poor = freshAccount();
    using away = startSignerDouble("web3signer");
    away.fault = "down";
    await shop.chain.fund(poor.address, 0n);
    await shop.chain.fund(rich.address);
    await shop.chain.fund(away.address);
    const facilitator = await shop.facilitator({
      signers: [away.options, { type: "key", key: keyOf(poor) }, { type: "key", key: keyOf(rich) }],
    });
    const sold = await payments(10);
    const settled = await Promise.all(sold.map((payment) => facilitator.settle(payment, shop.requirements)));
    expect(settled.map(({ kind }) => kind)).toEqual(sold.map(() => "settled"));
    expect(await counts([away.address, poor.address, rich.address])).toEqual([0, 0, 10]);
  });

  test("equal keys are refused", async () => {
    const signers = [0, 1].map(() => ({ type: "key", key: keyOf(freshAccount()) }) as const);
    const twice = [signers[0], signers[0]].flatMap((signer) => signer ?? []);
    expect(shop.facilitator({ signers: twice })).rejects.toThrow("two of its keys are equal");
  });

  test("killed again and again during fifty settlements, each payment is settled once and no nonce is left out", async () => {
    const keys = [freshAccount(), freshAccount(), freshAccount()];
    const accounts = keys.map(({ address }) => address);
    for (const address of accounts) await shop.chain.fund(address);
    const config = join(folder, "turnpike.json");
    const signers = keys.map((_, i) => ({ type: "env", key_env: `KEY_${i}` }));
    const chains = [{ network: shop.chain.network, rpc_url_env: "RPC", poll_ms: 20, receipt_timeout_ms: 20_000 }];
    writeFileSync(config, JSON.stringify({ x402: { enabled: true, embedded: { enabled: true, signers }, chains } }));
    const secrets = Object.fromEntries(keys.map((key, i) => [`KEY_${i}`, keyOf(key)]));
    const socket = join(folder, "pool.sock");
    const args = ["--config", config, "--listen", `unix:${socket}`, "--any-asset"];
    const start = async () => {
      const child = Bun.spawn([...COMMAND, "facilitator", ...args], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, TURNPIKE_HOME: folder, RPC: shop.chain.rpcUrl, ...secrets },
      });
      let text = "";
      for await (const chunk of child.stdout) {
        text += Buffer.from(chunk).toString();
        if (text.includes("listening")) break;
      }
      return child;
    };
    const before = await shop.token.balanceOf(PAYEE);
    const sold = await payments(SALES);
    const left = new Set(sold);
    const client = new HttpFacilitator({ url: `unix:${socket}`, timeoutMs: patient(20_000) });
    for (let round = 0; left.size > 0; round++) {
      expect(round).toBeLessThan(30);
      const child = await start();
      const all = [...left];
      let ended = 0;
      const settling = all.map(async (payment) => {
        const { kind } = await client.settle(payment, shop.requirements);
        ended += 1;
        // Killed in the middle of the others.
        if (round < 4 && ended === 5 + round) child.kill("SIGKILL");
        if (kind === "settled") left.delete(payment);
      });
      await Promise.all(settling);
      child.kill("SIGKILL");
      await child.exited;
    }
    expect(await shop.token.balanceOf(PAYEE)).toBe(before + BigInt(SALES) * BigInt(shop.requirements.amount));
    const used = await counts(accounts);
    // A transaction for a payment that was settled meanwhile reverts, and changes nothing.
    expect(used.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(SALES);
  });
});
