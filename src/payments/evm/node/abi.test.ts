import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeAbiParameters, encodeFunctionData, parseAbi, toEventSelector } from "viem";
import { CLAIMED, DEPOSITED, REFUNDED, SETTLED } from "../batch/calls.ts";
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED } from "../eip3009/calls.ts";
import { addressOfWord, encodeCall, eventTopic, abiText, TRANSFER, toWord, wordAt } from "./abi.ts";

const ABI = parseAbi(["function f(address a, uint256 b, bytes c, bytes32 d, bytes e)"]);
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const any = fc.uint8Array({ maxLength: 100 });

describe("calls to contracts, and their results", () => {
  test("arguments are encoded as in another library", () => {
    const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(fc.tuple(bytes(20), uint, any, bytes(32), any), ([a, b, c, d, e]) => {
        const [address, word] = [`0x${a.toHex()}`, `0x${d.toHex()}`] as const;
        const args = [address, b, `0x${c.toHex()}`, word, `0x${e.toHex()}`] as const;
        expect(encodeCall("f(address,uint256,bytes,bytes32,bytes)", [address, b, c, word, e])).toBe(
          encodeFunctionData({ abi: ABI, args }),
        );
      }),
    );
  });

  test("arrays of bytes, and of tuples with bytes, are encoded as in another library", () => {
    const abi = parseAbi(["function g((uint256 a, bytes b)[] rows, bytes[] data, uint256 c)"]);
    fc.assert(
      fc.property(fc.array(any, { maxLength: 3 }), (all) => {
        const hex = all.map((one) => `0x${one.toHex()}` as const);
        const rows = hex.map((b, i) => ({ a: BigInt(i), b }));
        const items = all.map((b, i) => ({ kind: "tuple", items: [BigInt(i), b] }) as const);
        expect(
          encodeCall("g((uint256,bytes)[],bytes[],uint256)", [
            { kind: "array", items },
            { kind: "array", items: all },
            7n,
          ]),
        ).toBe(encodeFunctionData({ abi, args: [rows, hex, 7n] }));
      }),
    );
  });

  test("numbers and words that would move the following arguments are refused", () => {
    expect(() => encodeCall("f(uint256)", [2n ** 256n])).toThrow("Cannot encode a call: a number is not a uint256");
    expect(encodeCall("f(uint256)", [2n ** 256n - 1n]).slice(10)).toBe("f".repeat(64));
    expect(encodeCall("f(uint256)", [0n]).slice(10)).toBe("0".repeat(64));
    expect(() => encodeCall("f(uint256)", [-1n])).toThrow("Cannot encode a call: a number is not a uint256");
    expect(() => encodeCall("f(bytes32)", [`0x${"0".repeat(65)}`])).toThrow("Cannot encode a call");
  });

  test("a text is decoded, up to a limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
        expect(abiText(encodeAbiParameters([{ type: "string" }], [text]))).toBe(text);
      }),
    );
    expect(abiText(encodeAbiParameters([{ type: "string" }], ["x".repeat(1025)]))).toBeUndefined();
    expect(abiText("0x")).toBeUndefined();
    // The result is shorter than the length in it.
    expect(abiText(`0x${"20".padStart(64, "0")}${"ff".padStart(64, "0")}61`)).toBeUndefined();
  });

  test("events and addresses are encoded as topics", () => {
    const events = {
      [TRANSFER]: "Transfer(address,address,uint256)",
      [AUTHORIZATION_USED]: "AuthorizationUsed(address,bytes32)",
      [AUTHORIZATION_CANCELED]: "AuthorizationCanceled(address,bytes32)",
      [DEPOSITED]: "Deposited(bytes32,address,uint128,uint128)",
      [CLAIMED]: "Claimed(bytes32,address,uint128,uint128)",
      [SETTLED]: "Settled(address,address,address,uint128)",
      [REFUNDED]: "Refunded(bytes32,address,uint128)",
    };
    for (const [topic, signature] of Object.entries(events))
      expect<string[]>([topic, topic]).toEqual([eventTopic(signature), toEventSelector(signature)]);
    const address = "0x00000000000000000000000000000000000000Ab";
    expect(addressOfWord(toWord(address))).toBe("0x00000000000000000000000000000000000000ab");
    expect(addressOfWord(`0x01${"00".repeat(31)}`)).toBeUndefined();
    expect(wordAt("0x12", 0)).toBeUndefined();
  });
});
