import { expect, test } from "bun:test";
import {
  chainId,
  explorerOf,
  explorerPage,
  explorerPages,
  isForeign,
  isTestNetwork,
  networkTitle,
  parseEvmNetwork,
  parseNetwork,
} from "./networks.ts";

const DEVNET = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
const HASH = `0x${"a".repeat(64)}`;

test.each([
  ["base", "eip155:8453"],
  ["solana-devnet", DEVNET],
  ["eip155:999999999999999", "eip155:999999999999999"],
  [DEVNET, DEVNET],
  ["stellar:pubnet", "stellar:pubnet"],
  ["eip155:0", undefined],
  ["eip155:1000000000000000", undefined],
  ["solana:0tWTRABZaYq6iMfeYKouRu166VU2xqa1", undefined],
  ["credit:8453", undefined],
  ["Base", undefined],
  ["", undefined],
])("%j is the network %j", (text, network) => {
  expect<string | undefined>(parseNetwork(text)).toBe(network);
  const isEvm = network?.startsWith("eip155:") === true;
  expect<string | undefined>(parseEvmNetwork(text)).toBe(isEvm ? network : undefined);
  expect(isForeign(text)).toBe(text === "stellar:pubnet");
});

test("only an EVM chain has a chain id", () => {
  expect(chainId("eip155:8453")).toBe(8453n);
  expect(() => chainId(DEVNET)).toThrow(`Cannot read a chain id: "${DEVNET}" is not an eip155 network`);
});

test.each([
  ["eip155:84532", "Base Sepolia (eip155:84532)"],
  ["credit:84532", "Prepaid on Base Sepolia (credit:84532)"],
  ["eip155:999", "eip155:999"],
])("the title of %s is %s", (network, title) => {
  expect(networkTitle(network)).toBe(title);
});

test("a transaction has a page if its explorer is known and its name has the form of one", () => {
  expect(explorerPage("eip155:8453", HASH)).toBe(`https://basescan.org/tx/${HASH}`);
  const signature = "5".repeat(88);
  expect(explorerPage(DEVNET, signature)).toBe(`https://explorer.solana.com/tx/${signature}?cluster=devnet`);
  expect(explorerPages("eip155:8453")).toEqual(["https://basescan.org/tx/", ""]);
  const without = [
    explorerPage("eip155:999", HASH),
    explorerPage("eip155:8453", "0x/../"),
    explorerPages("eip155:999"),
  ];
  expect(without).toEqual([undefined, undefined, undefined]);
  expect([explorerOf("eip155:8453"), explorerOf("eip155:999")]).toEqual(["https://basescan.org", undefined]);
});

test("a network is for tests if it is known as one", () => {
  expect(["eip155:84532", DEVNET, "eip155:8453", "eip155:999"].map(isTestNetwork)).toEqual([true, true, false, false]);
});
