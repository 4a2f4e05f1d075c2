import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ChainSettings,
  type EmbeddedSettings,
  readEmbedded,
  readLocalKeys,
  settleTimeoutOf,
  verifyTimeoutOf,
} from "./chain-settings.ts";

const ENVIRONMENT = { GAS: "0x01", SOL: "sol", LEND: "0x02", RPC: "http://127.0.0.1:1", ID: "id", SECRET: "secret" };
const CHAIN: ChainSettings = {
  network: "base-sepolia",
  rpc_url_env: "RPC",
  timeout_ms: 5000,
  poll_ms: 20,
  confirmations: 1,
  receipt_timeout_ms: 10_000,
  max_fee_per_gas: "5000000000",
  max_gas: 300_000,
  native_price: "",
};
const EMBEDDED: EmbeddedSettings["embedded"] = {
  enabled: true,
  key_env: "GAS",
  signers: [],
  max_pending: 7,
  wallet_factories: ["0xf"],
  approval_key_env: "",
  solana_key_env: "",
};
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test("the keys of this process are those of the environment and of files, and no key of a provider", () => {
  expect(readLocalKeys(EMBEDDED, ENVIRONMENT)).toEqual(["0x01"]);
  const folder = mkdtempSync(join(tmpdir(), "turnpike-keys-"));
  folders.push(folder);
  writeFileSync(join(folder, "key"), "0x03");
  const remote = { type: "web3signer", url: "http://127.0.0.1:2", public_key: "ab", timeout_ms: 9 } as const;
  const signers = [{ type: "env", key_env: "LEND" }, remote, { type: "file", path: join(folder, "key") }] as const;
  expect(readLocalKeys({ ...EMBEDDED, signers }, ENVIRONMENT)).toEqual(["0x02", "0x03"]);
});

test("an embedded facilitator needs a chain, and keys only for what it does", () => {
  const settings = { embedded: EMBEDDED, chains: [CHAIN] };
  expect(readEmbedded(settings, ENVIRONMENT)).toMatchObject({
    chains: [{ network: "eip155:84532" }],
    signers: [{ kind: "key", key: "0x01" }],
    max_pending: 7,
    wallet_factories: ["0xf"],
  });
  expect(readEmbedded(settings, ENVIRONMENT)?.lender).toBeUndefined();
  const lending = { ...settings, embedded: { ...EMBEDDED, approval_key_env: "LEND" } };
  expect(readEmbedded(lending, ENVIRONMENT)).toMatchObject({ lender: { kind: "key", key: "0x02" } });
  expect(() => readEmbedded({ ...settings, chains: [] }, ENVIRONMENT)).toThrow("x402.chains has no EVM chain");
  const solana = { embedded: { ...EMBEDDED, solana_key_env: "SOL" }, chains: [] };
  expect(() => readEmbedded(solana, ENVIRONMENT)).toThrow("x402.chains has no chain");
});

test("a facilitator in another process responds within the time of its slowest chain", () => {
  expect([verifyTimeoutOf([]), settleTimeoutOf([])]).toEqual([1000, 1000]);
  const slow = { ...CHAIN, timeout_ms: 6000, receipt_timeout_ms: 60_000 };
  expect([verifyTimeoutOf([CHAIN, slow]), settleTimeoutOf([slow, CHAIN])]).toEqual([25_000, 85_000]);
  const endless = { ...CHAIN, timeout_ms: 10 ** 9 };
  expect([verifyTimeoutOf([endless]), settleTimeoutOf([endless])]).toEqual([2_147_483_647, 2_147_483_647]);
});
