import { describe, expect, test } from "bun:test";
import { type Hex } from "../../x402/address.ts";
import { type Transfer } from "../../x402/transfer.ts";
import { toWord, TRANSFER } from "../node/abi.ts";
import { type Log } from "../node/requests.ts";
import { AUTHORIZATION_USED } from "./calls.ts";
import { showsTransfer } from "./evidence.ts";

const TOKEN = "0x00000000000000000000000000000000000000aa";
const PAYER = "0x00000000000000000000000000000000000000bb";
const PAYEE = "0x00000000000000000000000000000000000000cc";
const HASH: Hex = `0x${"11".repeat(32)}`;
const transfer: Transfer = {
  contract: TOKEN,
  from: PAYER,
  to: PAYEE,
  value: "500",
  validAfter: "0",
  validBefore: "9",
  nonce: `0x${"01".repeat(32)}`,
};

/** Events in their order, from the token unless they name another contract. */
function logs(...events: (Pick<Log, "topics" | "data"> & { address?: string })[]): Log[] {
  return events.map((event, i) => ({
    address: TOKEN,
    transactionHash: HASH,
    blockNumber: 1n,
    logIndex: BigInt(i),
    ...event,
  }));
}

function used(nonce: string) {
  return { topics: [AUTHORIZATION_USED, toWord(PAYER), toWord(`0x${nonce.repeat(32)}`)], data: "0x" as const };
}

function moved(to: Hex, value: bigint) {
  const data: Hex = `0x${value.toString(16).padStart(64, "0")}`;
  return { topics: [TRANSFER, toWord(PAYER), toWord(to)], data };
}

describe("a transaction's events show the transfer", () => {
  test("if the transfer event follows the nonce's event", () => {
    expect(showsTransfer(logs(used("02"), moved(PAYER, 500n), used("01"), moved(PAYEE, 500n)), transfer)).toBe(true);
  });

  test("if the node lists the events in another order than the transaction emitted them", () => {
    const all = logs(used("02"), moved(PAYER, 500n), used("01"), moved(PAYEE, 500n));
    for (const order of [
      [3, 2, 1, 0],
      [2, 0, 3, 1],
      [1, 3, 0, 2],
    ]) {
      expect(
        showsTransfer(
          order.flatMap((i) => all[i] ?? []),
          transfer,
        ),
      ).toBe(true);
    }
  });

  test("if the token emits the events in reverse order, and there are no others", () => {
    expect(showsTransfer(logs(moved(PAYEE, 500n), used("01")), transfer)).toBe(true);
  });

  test.each([
    ["of another payment before it", logs(used("02"), moved(PAYEE, 500n), used("01"), moved(PAYER, 500n))],
    ["of another payment after it", logs(used("01"), moved(PAYER, 500n), used("02"), moved(PAYEE, 500n))],
    ["of a plain transfer", logs(moved(PAYEE, 500n), used("01"), moved(PAYER, 500n))],
    ["of another amount", logs(used("01"), moved(PAYEE, 499n))],
    ["of another token", logs(used("01"), { ...moved(PAYEE, 500n), address: PAYEE })],
    ["of a nonce, from another contract", logs({ ...used("01"), address: PAYEE }, moved(PAYEE, 500n))],
    ["of another nonce alone", logs(used("02"), moved(PAYEE, 500n))],
    ["without data", logs(used("01"), { ...moved(PAYEE, 500n), data: "0x" })],
  ])("but not with events %s", (_name, events) => {
    expect(showsTransfer(events, transfer)).toBe(false);
  });
});
