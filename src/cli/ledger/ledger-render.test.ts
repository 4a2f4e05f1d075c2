import { expect, test } from "bun:test";
import { totalTable } from "./ledger-render.ts";

test("a terminal shows refunds in the unit of their amount, and a pipe in atomic units", () => {
  const token = "0x036cbd53842c5426634e7929541ec2318f3dcf7e";
  const total = { key: "/read", network: "eip155:84532", token, payments: 2, amount: "820000", refunded: "200000" };
  const rows = [total, { ...total, key: "/qr", refunded: "0" }];
  const cellsOf = (text: string, between: RegExp): unknown =>
    text
      .split("\n")
      .slice(1, 3)
      .map((line) => line.split(between)[4]);
  expect(cellsOf(totalTable("route", rows, true), / {2,}/)).toEqual(["0.20 USDC", "0"]);
  expect(cellsOf(totalTable("route", rows, false), /\t/)).toEqual(["200000", "0"]);
});
