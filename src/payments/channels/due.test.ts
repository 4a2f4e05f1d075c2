import { expect, test } from "bun:test";
import { MAX_CHANNEL_DIGITS, NO_AUTHORIZER } from "../../store/channels.ts";
import { type Address } from "../x402/address.ts";
import { batchesOf, isDue, lossPossibleAt, termsOf } from "./due.ts";
import { AUTHORIZER, claimedChannel, KEYS } from "./testing/claimed-channel.ts";

const SETTINGS = { keys: KEYS, authorizer: AUTHORIZER };
const NOW = 2_000_000;
const CONTRACT = NO_AUTHORIZER as Address;
const terms = termsOf(SETTINGS, [], NOW);
/** The highest amount that the store can compare. */
const MOST = "9".repeat(MAX_CHANNEL_DIGITS);
/** Its charges are few, young and below the limit. */
const idle = { owedSince: NOW };

test.each([
  ["nothing is due by itself", idle, undefined, false],
  ["a withdrawal", { ...idle, withdrawAt: 1 }, undefined, true],
  ["a refusal of the chain", { ...idle, refusedAt: 1 }, undefined, true],
  ["many charges", { ...idle, charges: 100 }, undefined, true],
  ["nearly as many", { ...idle, charges: 99 }, undefined, false],
  ["half of the delay of withdrawals", { owedSince: NOW - 450_000 }, undefined, true],
  ["less than that", { owedSince: NOW - 449_999 }, undefined, false],
  ["a large sum", { ...idle, charged: "5000" }, undefined, true],
  ["nearly that", { ...idle, charged: "4999" }, undefined, false],
  ["half of the bound of a contract", { ...idle, charged: "2000" }, CONTRACT, true],
  ["less than that of a contract", { ...idle, charged: "1999" }, CONTRACT, false],
  ["all is claimed", { withdrawAt: 1, claimed: "3000" }, undefined, false],
  ["no voucher", { withdrawAt: 1, signature: "" }, undefined, false],
] as const)("a claim by what is owed: %s", (_what, change, payerAuthorizer, due) => {
  expect(isDue(claimedChannel(change, payerAuthorizer), SETTINGS, terms)).toBe(due);
});

test("the store looks for work by the strictest limit of all tokens, and by the least time", () => {
  const limits = { charges: 100, owed: MOST, deniable: MOST };
  expect(terms).toEqual({ ...limits, owedBefore: NOW - 450_000, syncedBefore: NOW - 300_000 });
  const keys = { ...KEYS, claim: { ...KEYS.claim, amount: "$0.003", age_s: 10 }, fresh_s: 5 };
  const usdc = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
  const risk = { channels: 1, withdrawing: 0, owed: "0", deniable: "0", lost: "0", owedSince: 0 };
  const risks = [`0x${"a".repeat(40)}`, usdc].map((token) => ({ ...risk, network: "eip155:84532", token }));
  expect(termsOf({ ...SETTINGS, keys }, risks, NOW)).toMatchObject({
    owed: "3000",
    deniable: "2000",
    owedBefore: NOW - 10_000,
    syncedBefore: NOW - 5_000,
  });
});

test("an order claims channels of one token, and each payer without an authorizer by itself, after the others", () => {
  const [one, two, other] = [claimedChannel(), claimedChannel(), claimedChannel({ token: "0xc" })];
  const contracts = [claimedChannel({}, CONTRACT), claimedChannel({}, CONTRACT)] as const;
  const batches = batchesOf([contracts[0], one, other, contracts[1], two]);
  expect(batches).toEqual([[one, two], [other], [contracts[0]], [contracts[1]]]);
});

test("a payer takes its money after the delay of its withdrawal, or of one that the chain did not show yet", () => {
  expect(lossPossibleAt(claimedChannel({ withdrawAt: 50, syncedAt: 7 }))).toBe(950_000);
  expect(lossPossibleAt(claimedChannel({ syncedAt: 7 }))).toBe(900_007);
  expect(lossPossibleAt(claimedChannel({ withdrawAt: 1, syncedAt: 7 }))).toBe(901_000);
});
