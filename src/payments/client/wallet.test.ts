import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { importWallet, openWallet, readWallet, walletPath } from "./wallet.ts";

function fresh(): string {
  return join(mkdtempSync(join(tmpdir(), "turnpike-wallet-")), "home", "wallet.json");
}

test("a wallet is created on first use, readable only by its owner, and stays the same", () => {
  const path = fresh();
  expect(readWallet(path)).toBeUndefined();
  const first = openWallet(path);
  expect(first.created).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(path, ".."))).toEqual(["wallet.json"]);
  expect(openWallet(path)).toEqual({ account: first.account, created: false });
  const file: { private_key: `0x${string}`; address: string } = JSON.parse(readFileSync(path, "utf8"));
  expect(privateKeyToAccount(file.private_key).address).toBe(first.account.address);
  expect<string>(file.address).toBe(first.account.address);
  expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(file, undefined, 2)}\n`);
});

test("a wallet that other users can read is refused, and the error says what to do", () => {
  const path = fresh();
  openWallet(path);
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(path, mode);
    expect(() => openWallet(path)).toThrow(
      `other users can read it (mode 0${mode.toString(8)}); protect it with: chmod 600 "${path}"`,
    );
  }
});

test("a damaged wallet is not used, not replaced and not shown", () => {
  const path = fresh();
  openWallet(path);
  const good: Record<string, unknown> = JSON.parse(readFileSync(path, "utf8"));
  const damaged = [
    "{",
    "[]",
    JSON.stringify({ ...good, version: 2 }),
    JSON.stringify({ ...good, private_key: "0xsecret" }),
    JSON.stringify({ ...good, private_key: `0x${"0".repeat(64)}` }),
    JSON.stringify({ ...good, address: `0x${"1".repeat(40)}` }),
  ];
  for (const text of damaged) {
    writeFileSync(path, text);
    expect(() => openWallet(path)).toThrow(/^Cannot use the wallet "[^"]+": it/);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
});

test("a key is imported into a new wallet alone, and only if it is valid", () => {
  const path = fresh();
  expect(() => importWallet(path, new Uint8Array(32))).toThrow("Cannot use the key: it is not valid for secp256k1");
  expect(readWallet(path)).toBeUndefined();
  const key = new Uint8Array(32).fill(1);
  importWallet(path, key);
  expect(readWallet(path)?.privateKey).toEqual(key);
  expect(() => importWallet(path, key.fill(2))).toThrow(`Cannot make a wallet at "${path}": there is one already`);
  expect(readWallet(path)?.privateKey).toEqual(new Uint8Array(32).fill(1));
});

test("a path that cannot hold a wallet is refused with the reason", () => {
  const path = fresh();
  openWallet(path);
  const inFile = join(path, "in", "wallet.json");
  expect(() => readWallet(inFile)).toThrow(`Cannot use the wallet "${inFile}": ENOTDIR`);
  expect(() => importWallet(inFile, new Uint8Array(32).fill(1))).toThrow(
    `Cannot make a wallet at "${inFile}": ENOTDIR`,
  );
  const onFile = join(path, "wallet.json");
  expect(() => importWallet(onFile, new Uint8Array(32).fill(1))).toThrow(
    `Cannot make a wallet at "${onFile}": its folder is a file`,
  );
  // The link is there, but its target is not.
  const link = join(path, "..", "link.json");
  symlinkSync("nowhere", link);
  expect(() => openWallet(link)).toThrow(`Cannot use the wallet "${link}": it disappeared while it was read`);
});

test("the wallet is in TURNPIKE_HOME, or in the home folder if it is not set", () => {
  expect(walletPath({ TURNPIKE_HOME: "/a" })).toBe("/a/wallet.json");
  expect(walletPath({})).toEndWith("/.turnpike/wallet.json");
});
