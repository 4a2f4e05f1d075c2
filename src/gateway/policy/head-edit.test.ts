import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { type ResponseHead } from "../exchange/exchange.ts";
import { FieldChanges } from "./field-changes.ts";
import { changeFinalHead, HeadEdit } from "./head-edit.ts";

class Edit extends HeadEdit {
  protected edit(fields: string): string {
    return `${fields}X-New: 1\r\n`;
  }
}

const headOf = (status: number): ResponseHead => ({ status, reason: "", fields: "A: 1\r\n", bodyLength: -1 });

/** A client, and the heads that it gets. */
function clientOf() {
  const client = new Consumer();
  const heads: string[] = [];
  client.start = ({ status, fields }) => void heads.push(`${status} ${fields}`);
  return { client, heads };
}

const STATUSES = [100, 101, 103, 199, 200, 404];
const CHANGED = STATUSES.map((status) => `${status} A: 1\r\n${[101, 200, 404].includes(status) ? "X-New: 1\r\n" : ""}`);

test("only final heads are edited; bodies and ends pass", () => {
  const { client, heads } = clientOf();
  const edit = new Edit(client);
  for (const status of STATUSES) edit.start(headOf(status));
  edit.data(Buffer.from("abc"), 1, 3);
  edit.end("");
  expect([heads, client.bytes.toString(), client.ends]).toEqual([CHANGED, "bc", 1]);
});

test("a response without a way to change its head gets a sink that changes final heads alone", () => {
  const { client, heads } = clientOf();
  const exchange = new ClientExchange(client);
  changeFinalHead(exchange, new FieldChanges({ added: "X-New: 1\r\n" }));
  for (const status of STATUSES) exchange.response.start(headOf(status));
  expect(heads).toEqual(CHANGED);
});

test.each([true, false])("a response that takes changes by itself (%p) needs no sink", (takes) => {
  const { client, heads } = clientOf();
  const exchange = Object.assign(new ClientExchange(client), { changeHead: () => takes });
  changeFinalHead(exchange, new FieldChanges({ added: "X-New: 1\r\n" }));
  exchange.response.start(headOf(200));
  expect(heads).toEqual([`200 A: 1\r\n${takes ? "" : "X-New: 1\r\n"}`]);
});
