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
import { createOwn } from "./create-own.ts";
import { REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { keyBytes } from "../solana/address.ts";
import { solanaAccount } from "../solana/transfer.ts";

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
    signers: [{ type: "key", key: "0x01" }],
    max_pending: 7,
    wallet_factories: ["0xf"],
  });
  expect(readEmbedded(settings, ENVIRONMENT)?.lender).toBeUndefined();
  const lending = { ...settings, embedded: { ...EMBEDDED, approval_key_env: "LEND" } };
  expect(readEmbedded(lending, ENVIRONMENT)).toMatchObject({ lender: { type: "key", key: "0x02" } });
  expect(() => readEmbedded({ ...settings, chains: [] }, ENVIRONMENT)).toThrow("x402.chains has no EVM chain");
  const solana = { embedded: { ...EMBEDDED, solana_key_env: "SOL" }, chains: [] };
  expect(() => readEmbedded(solana, ENVIRONMENT)).toThrow("x402.chains has no chain");
});

const read = (...signers: EmbeddedSettings["embedded"]["signers"]) =>
  readEmbedded({ embedded: { ...EMBEDDED, signers }, chains: [CHAIN] }, { ...ENVIRONMENT, SESSION: "session" })
    ?.signers;

test("keys in key services are described whole, and their addresses have a right checksum", () => {
  const address = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
  const common = { address, url: "https://kms.example", timeout_ms: 9 };
  const aws = {
    type: "aws_kms",
    key_id: "k",
    region: "r",
    access_key_id_env: "ID",
    secret_access_key_env: "SECRET",
  } as const;
  const gcp = { type: "gcp_kms", key_version: "v", token_path: "/token", metadata_url: "http://metadata" } as const;
  const own = { ...aws, ...common, session_token_env: "" };
  const credentials = { accessKeyId: "id", secretAccessKey: "secret", sessionToken: "" };
  const kept = { type: "aws_kms", key_id: "k", region: "r", ...common };
  expect(read(own, { ...own, session_token_env: "SESSION" }, { ...gcp, ...common })).toEqual([
    { ...kept, credentials },
    { ...kept, credentials: { ...credentials, sessionToken: "session" } },
    { type: "gcp_kms", key_version: "v", token_path: "/token", metadata_url: "http://metadata", ...common },
  ] as never);
  const mistyped = { ...common, address: address.replace("B", "b") };
  for (const signer of [
    { ...own, ...mistyped },
    { ...gcp, ...mistyped },
  ]) {
    expect(() => read(signer)).toThrow("Cannot use x402.embedded.signers[0].address: its letters do not fit");
  }
  expect(() => read(own, { ...own, access_key_id_env: "NONE" })).toThrow("signers[1].access_key_id_env");
  expect(() => read({ type: "file", path: "/nowhere/key" })).toThrow("Cannot use x402.embedded.signers[0].path: ");
});

const EVM = "invalid_exact_evm_payload_authorization_valid_before";
const SOLANA = "unsupported_payload_type";
test.each([
  [{}, ["base-sepolia"], [EVM, "invalid_network"]],
  [{ solana_key_env: "SOL" }, ["solana-devnet"], ["invalid_network", SOLANA]],
  [{ solana_key_env: "SOL" }, ["base-sepolia", "solana-devnet"], [EVM, SOLANA]],
] as const)(
  "a facilitator with %p judges payments on %p, and has channels on an EVM chain",
  async (keys, names, said) => {
    const { seed, address } = solanaAccount(new Uint8Array(32).fill(1));
    const SOL = JSON.stringify([...seed, ...(keyBytes(address) ?? [])]);
    const settings = { embedded: { ...EMBEDDED, ...keys }, chains: names.map((network) => ({ ...CHAIN, network })) };
    const options = readEmbedded(settings, { ...ENVIRONMENT, SOL, GAS: `0x${"1".repeat(64)}` });
    if (options === undefined) throw new Error("it is enabled");
    const own = createOwn(options);
    const payment = signedPayment(1_800_000_000);
    const networks = [REQUIREMENTS.network, "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"];
    const judged = networks.map((network) => own.verify(payment, { ...REQUIREMENTS, network }));
    expect(await Promise.all(judged)).toEqual(said.map((reason) => ({ kind: "refused", reason })));
    expect(own.channels !== undefined).toBe(said[0] === EVM);
    const unable = networks
      .filter((_, i) => said[i] !== "invalid_network")
      .map((one) => `${one}: no connection to the node`);
    expect(await own.supported().catch(String)).toEndWith(`supports: ${unable.join("; ")}`);
    await own.close();
  },
);

test("a facilitator in another process responds within the time of its slowest chain", () => {
  expect([verifyTimeoutOf([]), settleTimeoutOf([])]).toEqual([1000, 1000]);
  const slow = { ...CHAIN, timeout_ms: 6000, receipt_timeout_ms: 60_000 };
  expect([verifyTimeoutOf([CHAIN, slow]), settleTimeoutOf([slow, CHAIN])]).toEqual([25_000, 85_000]);
  const endless = { ...CHAIN, timeout_ms: 10 ** 9 };
  expect([verifyTimeoutOf([endless]), settleTimeoutOf([endless])]).toEqual([2_147_483_647, 2_147_483_647]);
});
