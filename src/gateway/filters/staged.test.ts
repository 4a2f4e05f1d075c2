import { expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { changedHead } from "../exchange/exchange-state.ts";
import { stagedHead } from "./staged.ts";

const HEAD: ResponseHead = {
  status: 200,
  reason: "",
  fields: "X-Tag: upstream\r\nSet-Cookie: a=1\r\n",
  bodyLength: 0,
};
const STAGED = "x-tag: filter\r\nset-cookie: b=2\r\nx-new: 1\r\n";

test("staged fields replace those of a response, and cookies are added", () => {
  expect(stagedHead(HEAD, STAGED).fields).toBe(`Set-Cookie: a=1\r\n${STAGED}`);
  expect(stagedHead(HEAD, "")).toBe(HEAD);
});

test("an error keeps its own fields, and gets the staged ones that it does not have", () => {
  const error = new TurnpikeError("filter-failed", "");
  expect(stagedHead(changedHead(HEAD, { error }), STAGED).fields).toBe(`${HEAD.fields}x-new: 1\r\n`);
});
