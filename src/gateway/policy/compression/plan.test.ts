import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type ResponseHead } from "../../exchange/exchange.ts";
import { type Coding } from "./codings.ts";
import { forbidsTransforms, isLive, Plan } from "./plan.ts";
import { Slots } from "./slots.ts";

const TEXT = "Content-Type: text/plain\r\n";
const CODED = `${TEXT}Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n`;

interface Options {
  readonly coding?: Coding | "none";
  readonly requestFields?: string;
  readonly method?: string;
}

function create({ coding = "gzip", requestFields = "", method = "GET" }: Options = {}) {
  const slots = new Slots(1);
  const rules = { minBytes: 100, matches: (type: string) => !type.startsWith("image/"), slots };
  const exchange = new ClientExchange(new Consumer(), { method, bodyLength: 0 });
  return { slots, exchange, plan: new Plan(rules, coding === "none" ? undefined : coding, requestFields) };
}

function head(changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status: 200, reason: "", fields: TEXT, bodyLength: -1, ...changes };
}

test("a response is compressed while a slot is free", () => {
  const { slots, exchange, plan } = create();
  expect(plan.decide(exchange, head())).toEqual({ fields: CODED, coding: "gzip" });
  expect(slots.taken).toBe(1);
  expect(plan.decide(exchange, head())).toEqual({ fields: `${TEXT}Vary: Accept-Encoding\r\n`, coding: undefined });
  slots.giveBack();
  expect([slots.taken, plan.decide(exchange, head()).coding]).toEqual([0, "gzip"]);
});

test("a response to HEAD has the fields without a slot, and a client that has left gets no fields", () => {
  const { slots, exchange, plan } = create({ method: "HEAD" });
  expect([plan.decide(exchange, head()).fields, slots.taken]).toEqual([CODED, 0]);
  exchange.gone = true;
  expect(plan.decide(exchange, head()).coding).toBeUndefined();
});

test("a client that accepts no coding gets Vary", () => {
  const { exchange, plan } = create({ coding: "none" });
  expect(plan.decide(exchange, head())).toEqual({ fields: `${TEXT}Vary: Accept-Encoding\r\n`, coding: undefined });
});

test("a range of a response that could be compressed has its Vary, however short it is", () => {
  const { exchange, plan } = create();
  const range = "Content-Range: bytes 0-1/200\r\n";
  const part = head({ status: 206, fields: TEXT + range, bodyLength: 2 });
  expect(plan.decide(exchange, part)).toEqual({
    fields: `${TEXT}${range}Vary: Accept-Encoding\r\n`,
    coding: undefined,
  });
  const image = head({ status: 206, fields: `Content-Type: image/png\r\n${range}`, bodyLength: 2 });
  expect(plan.decide(exchange, image)).toEqual({ fields: image.fields, coding: undefined });
});

test.each([
  [{ status: 199 }, false],
  [{ status: 203 }, true],
  [{ status: 204 }, false],
  [{ status: 207 }, true],
  [{ status: 404 }, true],
  [{ bodyLength: 99 }, false],
  [{ bodyLength: 100 }, true],
  [{ fields: "" }, false],
  [{ fields: "Content-Type: image/png\r\n" }, false],
  [{ fields: "Content-Type: application/grpc+proto\r\n" }, false],
  [{ fields: `${TEXT}Content-Encoding: br\r\n` }, false],
  [{ fields: `${TEXT}Content-Encoding: Identity\r\n` }, true],
  [{ fields: `${TEXT}Content-Range: bytes 0-1/2\r\n` }, false],
  [{ fields: `${TEXT}Cache-Control: no-transform\r\n` }, false],
])("a response with %j is compressed: %p", (changes, expected) => {
  const { exchange, plan } = create();
  const { coding, fields } = plan.decide(exchange, head(changes));
  expect(coding === "gzip").toBe(expected);
  if (!expected) expect(fields).toBe(head(changes).fields);
  else expect(fields.match(/Content-Encoding/g)?.length).toBe(1);
});

test.each([
  ["Vary: Origin\r\n", true],
  ["Vary: origin, accept-encoding\r\n", false],
  ["Vary: Accept-Encoding ,Origin\r\n", false],
  ["Vary: *\r\n", false],
  ["Vary: X-Accept-Encoding\r\n", true],
])("with %j Vary is added: %p", (vary, expected) => {
  const { exchange, plan } = create();
  expect(plan.decide(exchange, head({ fields: TEXT + vary })).fields.includes("Vary: Accept-Encoding\r\n")).toBe(
    expected,
  );
});

test("the strong tag of a compressed response becomes weak, and that of a 304 if the client asked with the weak form", () => {
  const { exchange, plan } = create({ requestFields: 'If-None-Match: W/"1"\r\n' });
  expect(plan.decide(exchange, head({ fields: `${TEXT}ETag: "1"\r\n` })).fields).toContain('ETag: W/"1"\r\n');
  const weak = plan.decide(exchange, head({ status: 304, fields: 'ETag: "1"\r\n' }));
  expect(weak).toEqual({ fields: 'ETag: W/"1"\r\nVary: Accept-Encoding\r\n', coding: undefined });
  for (const fields of ['ETag: "2"\r\n', 'ETag: W/"1"\r\n', TEXT]) {
    expect(plan.decide(exchange, head({ status: 304, fields })).fields).toBe(fields);
  }
});

test.each([
  ["Cache-Control: no-transform\r\n", true],
  ["Cache-Control: public ,No-Transform , max-age=1\r\n", true],
  ["Cache-Control: no-transforms\r\n", false],
  ["", false],
])("%j forbids transforms: %p", (fields, expected) => {
  expect(forbidsTransforms(fields)).toBe(expected);
});

test.each([
  ["text/event-stream", -1, true],
  ["application/x-ndjson; charset=utf-8", -1, true],
  ["application/jsonl", -1, true],
  ["application/json", -1, false],
  ["text/event-stream", 500, false],
])("a response of %s with the length %i is live: %p", (type, bodyLength, expected) => {
  expect(isLive(head({ fields: `Content-Type: ${type}\r\n`, bodyLength }))).toBe(expected);
});

test("a response without a type is not live", () => {
  expect(isLive(head({ fields: "" }))).toBe(false);
});
