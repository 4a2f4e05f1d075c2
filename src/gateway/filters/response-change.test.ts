import { expect, test } from "bun:test";
import { type ResponseHead } from "../exchange/exchange.ts";
import { changedResponse, hasBody } from "./response-change.ts";

const GET = { method: "GET", isGrpc: false };
const BODY = Buffer.from("new body");

function head(changes: Partial<ResponseHead> = {}): ResponseHead {
  return { status: 200, reason: "Fine", fields: "", bodyLength: 5, ...changes };
}

function change(changes: { status?: number; fields?: string; body?: Uint8Array } = {}) {
  return { kind: "change" as const, status: changes.status, fields: changes.fields ?? "", body: changes.body };
}

test.each([
  [GET, {}, true],
  [GET, { bodyLength: -1 }, true],
  [GET, { bodyLength: 0 }, false],
  [{ method: "HEAD" }, {}, false],
  [GET, { status: 204 }, false],
  [GET, { status: 304 }, false],
])("to %j a response with %j has a body: %p", (request, changes, expected) => {
  expect(hasBody(request, head(changes))).toBe(expected);
});

test("without a new body the original one stays, and the reason goes with its status", () => {
  const original = head({ fields: "ETag: 1\r\nX: 1\r\n" });
  expect(changedResponse(GET, original, change({ fields: "X: 2\r\n" }))).toEqual({
    head: head({ fields: "ETag: 1\r\nX: 2\r\n" }),
    body: undefined,
    dropsBody: false,
  });
  expect(changedResponse(GET, original, change({ status: 201 })).head).toMatchObject({ status: 201, reason: "" });
});

test("a new body has its length, and no field that describes the old one", () => {
  const fields = "ETag: 1\r\nContent-Encoding: gzip\r\nContent-Type: a/b\r\nDigest: x\r\n";
  expect(changedResponse(GET, head({ fields }), change({ body: BODY }))).toEqual({
    head: head({ fields: "Content-Type: a/b\r\n", bodyLength: 8 }),
    body: BODY,
    dropsBody: true,
  });
});

test("a new body of a gRPC response has no length, and one that consists of its head has no body", () => {
  const grpc = { method: "POST", isGrpc: true };
  expect(changedResponse(grpc, head({ bodyLength: -1 }), change({ body: BODY })).head.bodyLength).toBe(-1);
  const whole = changedResponse(grpc, head({ grpcStatus: 0, bodyLength: 0 }), change({ body: BODY }));
  expect([whole.body, whole.dropsBody]).toEqual([undefined, false]);
});

test("a part that is replaced becomes a whole response, unless the filter says its status", () => {
  const original = head({ status: 206 });
  expect(changedResponse(GET, original, change({ body: BODY })).head.status).toBe(200);
  expect(changedResponse(GET, original, change({ body: BODY, status: 206 })).head.status).toBe(206);
});

test("a new body of a response to HEAD gives its length alone", () => {
  const changed = changedResponse({ method: "HEAD", isGrpc: false }, head(), change({ body: BODY }));
  expect([changed.head.bodyLength, changed.body, changed.dropsBody]).toEqual([8, undefined, false]);
});

test("a status without a body drops the body, and fields that describe it unless it is 304", () => {
  const fields = "Content-Type: a/b\r\nX: 1\r\n";
  const none = changedResponse(GET, head({ fields }), change({ status: 204, body: BODY }));
  expect(none).toMatchObject({ head: { status: 204, fields: "X: 1\r\n", bodyLength: 0 }, dropsBody: true });
  expect(none.body).toBeUndefined();
  const same = changedResponse(GET, head({ fields }), change({ status: 304 }));
  expect(same).toMatchObject({ head: { status: 304, fields, bodyLength: -1 }, dropsBody: true });
  const kept = changedResponse(GET, head({ status: 304, fields, bodyLength: 7 }), change());
  expect(kept).toMatchObject({ head: { status: 304, reason: "Fine", fields, bodyLength: 7 }, dropsBody: false });
  const left = changedResponse(GET, head({ status: 204, fields, bodyLength: 0 }), change({ fields: "Y: 1\r\n" }));
  expect(left.head).toMatchObject({ fields: `${fields}Y: 1\r\n`, bodyLength: 0 });
});

test("a response without a body that gets another status has an empty one, except to HEAD", () => {
  const original = head({ status: 304, bodyLength: 7 });
  expect(changedResponse(GET, original, change({ status: 200 })).head.bodyLength).toBe(0);
  const toHead = changedResponse({ method: "HEAD", isGrpc: false }, original, change({ status: 200 }));
  expect(toHead.head.bodyLength).toBe(7);
});
