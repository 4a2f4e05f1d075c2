import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Receipt } from "../../../../payments/x402/messages.ts";
import { ResponseFile, READ_BYTES } from "./response-file.ts";
import { type PaidResponse } from "./response-store.ts";
import { withReceipt } from "./inline-receipt.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-inline-"));
afterAll(() => rmSync(folder, { recursive: true }));

const RECEIPT: Receipt = { success: true, transaction: "0xtx", network: "eip155:1", payer: "0xfrom" };
const MOST = 1_048_576;

function responseOf(text: string, fields = "Content-Type: application/json\r\n", status = 200): PaidResponse {
  const body = Buffer.from(text);
  // Two pieces, which need not be valid UTF-8 on their own.
  const pieces = [body.subarray(0, 3), body.subarray(3)];
  return {
    head: { status, reason: "", fields, bodyLength: body.length },
    body: pieces,
    trailers: "ETag: 2\r\n",
    size: body.length,
  };
}

function textOf({ body }: PaidResponse): string {
  return Buffer.concat(body as Uint8Array[]).toString();
}

test.each([
  ["{}", '{"payment":R}'],
  [' { "a" : "é}" } \n', ' { "a" : "é}" ,"payment":R} \n'],
  ['{"a":{}}', '{"a":{},"payment":R}'],
])("a receipt is added to %s", async (text, expected) => {
  const whole = await withReceipt(
    responseOf(text, "content-type: application/JSON; charset=x\r\nETag: 1\r\nA: 1\r\n"),
    RECEIPT,
  );
  const wanted = expected.replace("R", JSON.stringify(RECEIPT));
  expect(textOf(whole)).toBe(wanted);
  const length = Buffer.byteLength(wanted);
  expect([whole.size, whole.head.bodyLength]).toEqual([length, length]);
  expect([whole.head.fields, whole.trailers]).toEqual(["content-type: application/JSON; charset=x\r\nA: 1\r\n", ""]);
});

test.each([
  ["an array", responseOf("[{}]")],
  ["null", responseOf("null")],
  ["text", responseOf('"}"')],
  ["what is not JSON", responseOf("{a}")],
  ["an object that has one", responseOf('{"payment":null}')],
  ["a part", responseOf("{}", "Content-Type: application/json\r\n", 206)],
  ["another type", responseOf("{}", "Content-Type: application/jsonl\r\n")],
  ["no type", responseOf("{}", "")],
  ["what is compressed", responseOf("{}", "Content-Type: application/json\r\nContent-Encoding: gzip\r\n")],
  ["what is too long", responseOf(`{"a":"${"x".repeat(MOST - 7)}"}`)],
])("no receipt is added to %s", async (_what, response) => {
  expect(await withReceipt(response, RECEIPT)).toBe(response);
});

test("the longest response that gets a receipt has a mebibyte, and identity is not compression", async () => {
  const response = responseOf(
    `{"a":"${"x".repeat(MOST - 8)}"}`,
    "Content-Type: application/json\r\nContent-Encoding: Identity\r\n",
  );
  expect(response.size).toBe(MOST);
  expect((await withReceipt(response, RECEIPT)).size).toBeGreaterThan(MOST);
});

test("a receipt is added to a body in a file, unless the file cannot be read", async () => {
  const path = join(folder, "body");
  const file = await ResponseFile.create(path, () => {});
  const text = `{"a":"${"é".repeat(READ_BYTES)}"}`;
  await file.append(Buffer.from(text));
  const response = { ...responseOf("{}"), body: file, size: file.size };
  expect(textOf(await withReceipt(response, RECEIPT))).toBe(
    `${text.slice(0, -1)},"payment":${JSON.stringify(RECEIPT)}}`,
  );
  truncateSync(path, READ_BYTES);
  expect(await withReceipt(response, RECEIPT)).toBe(response);
  file.release();
});
