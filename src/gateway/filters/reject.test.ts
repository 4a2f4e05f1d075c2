import { expect, test } from "bun:test";
import { ClientExchange } from "../../../test/flow/testing/flow.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { REJECTED } from "./errors.ts";
import { type Reply } from "./own-abi/host-state.ts";
import { PlayedClient } from "./proxy-wasm/testing/played-stream.ts";
import { isBodiless, reject } from "./reject.ts";

const DATE = /^Date: [^\r]+\r\n/;

function rejected(reply: Reply | undefined, fields: Fields, method = "GET") {
  const client = new PlayedClient();
  const exchange = new ClientExchange(client, { method });
  const errors: unknown[] = [];
  reject(exchange, reply, { fields, respondWithError: (...all) => void errors.push(all) });
  const [head] = client.heads;
  return { errors, exchange, events: client.events, fields: head?.fields.replace(DATE, "<date>"), head };
}

test("without a response of the filter, it is an error of the gateway, whose own fields stay", () => {
  const { errors, exchange, events } = rejected(
    undefined,
    "X-A: 1\r\nContent-Type: x/y\r\nDATE: never\r\nretry-after: 9\r\nx-b: 2\r\n",
  );
  expect([errors, events]).toEqual([[[exchange, REJECTED, "X-A: 1\r\nx-b: 2\r\n"]], []]);
});

test("a response of the filter has its status, its fields, the gateway's date, and a type", () => {
  const body = Buffer.from("no");
  const plain = rejected({ status: 418, body }, "x-a: 1\r\ndate: never\r\n");
  expect([plain.errors, plain.events]).toEqual([[], ["418 of 2", "no", "end"]]);
  expect(plain.fields).toBe("<date>Content-Type: text/plain; charset=utf-8\r\nx-a: 1\r\n");
  expect(rejected({ status: 200, body }, "Content-Type: a/b\r\n").fields).toBe("<date>Content-Type: a/b\r\n");
  expect(rejected({ status: 200, body: Buffer.alloc(0) }, "").fields).toBe("<date>");
  expect(rejected({ status: 200, body }, "", "HEAD").events).toEqual(["200 of 2", "end"]);
});

test.each([
  [204, "204 of 0"],
  [205, "205 of 0"],
  [304, "304"],
])("a response with %i has no body and no type", (status, event) => {
  const { errors, events, fields, head } = rejected({ status, body: Buffer.from("no") }, "x-a: 1\r\nDate: never\r\n");
  expect([errors, events, fields, head?.reason]).toEqual([[], [event, "end"], "<date>x-a: 1\r\n", ""]);
});

test("three statuses are of responses without a body", () => {
  const all = Array.from({ length: 400 }, (_, i) => 200 + i);
  expect(all.filter((status) => isBodiless(status))).toEqual([204, 205, 304]);
});
