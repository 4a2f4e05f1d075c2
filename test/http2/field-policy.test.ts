/** HTTP/2 must drop, keep or refuse the same request fields as HTTP/1: an upstream sees the same from both. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import * as h2 from "../support/http2-frames.ts";
import { fieldOf, Http2Client, post } from "../support/http2-client.ts";
import { block } from "../support/http2-hpack.ts";
import { type Message, statusOf } from "../support/message.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";

/** Fields that differ for every request, or whose framing belongs to the protocol. */
const OWN = new Set(["x-request-id", "transfer-encoding", "content-length", "x-forwarded-proto"]);

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startGateway(everythingTo(origin.port));
});
beforeEach(() => origin.reset());
afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

function kept(request: Message | undefined): string[] {
  if (request === undefined) throw new Error("Cannot compare: the origin saw no request");
  return request.fields
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN.has(name))
    .map(([name, value]) => `${name}: ${name === "via" ? value.replace(/\d\.\d service$/, "service") : value}`)
    .toSorted();
}

interface Outcome {
  readonly status: number;
  readonly fields: readonly string[];
  readonly trailers: readonly string[];
}

function outcome(status: number): Outcome {
  const request = origin.requests.at(-1);
  if (status !== 200) return { status, fields: [], trailers: [] };
  const trailers = (request?.trailers ?? []).map(([name, value]) => `${name.toLowerCase()}: ${value}`);
  return { status, fields: kept(request), trailers };
}

async function overHttp1(field: readonly [string, string], inTrailers: boolean): Promise<Outcome> {
  const client = await RawClient.open(gateway.port);
  const line = `${field[0]}: ${field[1]}\r\n`;
  const length = field[0] === "content-length" ? "" : "Transfer-Encoding: chunked\r\n";
  const head = `POST /x HTTP/1.1\r\nHost: a.test\r\n${length}${inTrailers ? "" : line}\r\n`;
  client.send(`${head}${length === "" ? "ab" : `2\r\nab\r\n0\r\n${inTrailers ? line : ""}\r\n`}`);
  const response = await client.finalResponse("POST");
  client.destroy();
  return outcome(statusOf(response));
}

/** A stream error corresponds to a 400 of HTTP/1. */
async function overHttp2(field: readonly [string, string], inTrailers: boolean): Promise<Outcome> {
  const client = await Http2Client.ready(gateway.port);
  client.send(post(1, "/x", inTrailers ? [] : [field]), h2.frame(h2.DATA, inTrailers ? 0 : h2.END_STREAM, 1, "ab"));
  if (inTrailers) client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block([field])));
  const end = await client.sees("an end", ({ type, flags, streamId }) => {
    return streamId === 1 && (type === h2.RST_STREAM || (type !== h2.WINDOW_UPDATE && (flags & h2.END_STREAM) !== 0));
  });
  const heads = client.frames.filter(({ type, streamId }) => type === h2.HEADERS && streamId === 1);
  const statuses = heads.map(({ fields }) => Number(fieldOf(fields, ":status") ?? 0));
  client.destroy();
  const isRefused = end.type === h2.RST_STREAM && end.payload.readUInt32BE(0) === 1;
  return outcome(isRefused ? 400 : (statuses.find((status) => status >= 200) ?? 0));
}

const HYPHENATED = [
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "transfer-encoding",
  "x-client-cert-subject",
  "x-client-cert-verified",
  "x-consumer-name",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "x-request-id",
];
const FIELDS: readonly (readonly [string, string])[] = [
  ...HYPHENATED.map((name) => [name.replaceAll("-", "_"), "1"] as const),
  ["x-client_cert-subject", "CN=root"],
  ["x-client-cert-subject", "CN=root"],
  ["x-client-cert-verified", "SUCCESS"],
  ["x-consumer-name", "root"],
  ["x-forwarded-for", "1.2.3.4"],
  ["x-forwarded-host", "evil.test"],
  ["x-real-ip", "1.2.3.4"],
  ["proxy-authorization", "x"],
  ["trailer", "x"],
  ["te", "trailers"],
  ["via", "1.0 me"],
  ["expect", "100-continue"],
  ["expect", "a miracle"],
  ["date", "x"],
  ["x_other", "1"],
  ["x-tab", "a\tb"],
  ["x-high", "\u00ff"],
  ["x-empty", ""],
  ["x-nul", "a\u0000b"],
  ["x-bell", "a\u0007b"],
  ["content-length", "2"],
  ["content-length", "2, 2"],
  ["content-length", "2, 3"],
  ["content-length", "02"],
  ["content-length", "+2"],
  ["content-length", "-2"],
  ["content-length", "0x2"],
  ["content-length", "2 "],
  ["content-length", "2e0"],
  ["content-length", "2;"],
  ["x y", "1"],
  ["x\u0000y", "1"],
  ["", "1"],
];

describe("HTTP/2 treats each field of a request as HTTP/1 does", () => {
  for (const field of FIELDS) {
    test(JSON.stringify(field), async () => {
      const http1 = await overHttp1(field, false);
      // White space around a value is not part of it in HTTP/1, and makes the request malformed in HTTP/2 (RFC 9113
      // §8.2.1).
      if (field[1].endsWith(" ")) expect((await overHttp2(field, false)).status).toBe(400);
      else expect(await overHttp2(field, false)).toEqual(http1);
    });
  }
});

describe("HTTP/2 treats each trailer as HTTP/1 does", () => {
  for (const field of [...FIELDS.slice(0, HYPHENATED.length + 8), ["x-sum", "1"], ["host", "b.test"]] as const) {
    test(JSON.stringify(field), async () => {
      expect(await overHttp2(field, true)).toEqual(await overHttp1(field, true));
    });
  }
});

test("a host field that differs from the authority only in case is accepted, and another one is malformed", async () => {
  expect((await overHttp2(["host", "A.Test"], false)).fields).toContain("host: a.test");
  for (const other of ["b.test", "a.test:81", "", "a.test, a.test"]) {
    expect((await overHttp2(["host", other], false)).status).toBe(400);
  }
});
