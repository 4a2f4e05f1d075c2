import { expect, test } from "bun:test";
import { totalTable } from "./ledger-render.ts";

const TOKEN = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
const TOTAL = {
  key: "/read",
  network: "eip155:84532",
  token: TOKEN,
  payments: 2,
  amount: "820000",
  refunded: "200000",
};
const TOTALS = [TOTAL, { ...TOTAL, key: "/qr", refunded: "0" }];

function refundsOf(table: string, between: RegExp): unknown {
  const rows = table.split("\n").slice(1, 3);
  return rows.map((line) => line.split(between)[4]);
}

test("a terminal shows refunds in the unit of their amount, and a pipe in atomic units", () => {
  expect(refundsOf(totalTable("route", TOTALS, true), / {2,}/)).toEqual(["0.20 USDC", "0"]);
  expect(refundsOf(totalTable("route", TOTALS, false), /\t/)).toEqual(["200000", "0"]);
});
