/**
 * The server side of HTTP/1: heads, bodies with both framings, pipelines. Node's parser must accept what the gateway
 * accepts.
 */
import fc from "fast-check";
import { FakeWire } from "../../../src/gateway/wire/testing/fake-wire.ts";
import { ChunkedDecoder } from "../../../src/gateway/http1/chunked.ts";
import { Http1ServerConnection } from "../../../src/gateway/http1/server-connection.ts";
import { FuzzHost } from "../host.ts";
import { Oracle, type Verdict } from "../oracle.ts";
import { type Random } from "../random.ts";
import { type Claim, latin1, type Target } from "../target.ts";

interface Played {
  readonly host: FuzzHost;
  readonly wire: FakeWire;
}

function play(input: Buffer, sizes: readonly number[]): Played {
  const host = new FuzzHost();
  const wire = new FakeWire();
  const connection = new Http1ServerConnection(wire, host);
  wire.onClose = () => connection.onClose();
  let at = 0;
  for (const size of sizes) {
    if (wire.closed) break;
    if (wire.paused) throw new Error("the connection stays paused without a reason");
    connection.onData(input.subarray(at, at + size));
    at += size;
  }
  return { host, wire };
}

function statusesOf(wire: FakeWire): string[] {
  return [...wire.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? "");
}

function summaryOf({ host, wire }: Played): string {
  const requests = host.requests.map(({ summary }) => summary);
  // A head that can no longer be valid is refused before its end, so other errors in it may remain unseen.
  const statuses = statusesOf(wire).map((status) => (status < "400" ? status : "refused"));
  return [...requests, statuses.join(), host.refusals.length, wire.ended].join("\n");
}

/** The head of the first request, split naively at CRLF, space and colon. */
function claimOf(input: Buffer, { host }: Played): Claim | undefined {
  const [first] = host.requests;
  if (first === undefined) return undefined;
  const text = input.toString("latin1").replace(/^\r\n/, "");
  const [startLine = "", ...lines] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
  const fields = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, "")];
  });
  const { method, fields: kept } = first.exchange.head;
  const known = new Set(lines);
  for (const line of kept.split("\r\n").slice(0, -1)) {
    if (!known.has(line)) throw new Error(`the line ${JSON.stringify(line)} was never sent`);
  }
  const target = startLine.split(" ")[1] ?? "";
  const start = input.length - text.length + text.indexOf("\r\n\r\n") + 4;
  return {
    input: input.subarray(0, endOfBody(input, start, first.exchange.head.bodyLength)),
    method,
    target,
    fields,
    body: first.outcome === "whole" ? first.body : undefined,
  };
}

/** The end of the first request. The oracle must not see what follows. */
function endOfBody(input: Buffer, start: number, bodyLength: number): number {
  if (bodyLength !== -1) return start + bodyLength;
  return start + new ChunkedDecoder(4096, 1_000_000).decode(input.subarray(start), 0, { onChunk() {} });
}

function check(input: Buffer, random: Random): Claim | undefined {
  const whole = play(input, input.length === 0 ? [] : [input.length]);
  const parts = play(input, random.cuts(input.length, 200));
  const summary = summaryOf(whole);
  if (summary !== summaryOf(parts)) throw new Error(`whole: ${summary}\nin parts: ${summaryOf(parts)}`);
  for (const { host, wire } of [whole, parts]) {
    wire.terminate();
    host.checkEnds();
    const responses = statusesOf(wire).length;
    if (responses > host.requests.length + host.refusals.length) throw new Error(`${responses} answers`);
  }
  return claimOf(input, whole);
}

/** Inputs that Node refuses and this gateway accepts, with the reason. */
const JUSTIFIED: readonly (readonly [error: string, when: (claim: Claim) => boolean])[] = [
  // A method is any token (RFC 9110 §9.1); Node knows only a list.
  ["HPE_INVALID_METHOD", () => true],
  // A length may be repeated (RFC 9110 §8.6): `5, 5`, or two equal lines.
  ["HPE_INVALID_CONTENT_LENGTH", ({ input }) => /content-length:[^\r]*,/i.test(input.toString("latin1"))],
  [
    "HPE_UNEXPECTED_CONTENT_LENGTH",
    ({ input }) => /content-length:[^]*content-length:/i.test(input.toString("latin1")),
  ],
  // Trailers that would frame a message are ignored here (RFC 9110 §6.5.1).
  [
    "HPE_INVALID_TRANSFER_ENCODING",
    ({ input }) => /\n0+[^\n]*\n[^]*transfer-encoding:/i.test(input.toString("latin1")),
  ],
  ["HPE_UNEXPECTED_CONTENT_LENGTH", ({ input }) => /\n0+[^\n]*\n[^]*content-length:/i.test(input.toString("latin1"))],
  ["HPE_INVALID_CONTENT_LENGTH", ({ input }) => /\n0+[^\n]*\n[^]*content-length:/i.test(input.toString("latin1"))],
  // A tab is white space like a space (RFC 9110 §5.6.3).
  ["HPE_INVALID_CONTENT_LENGTH", ({ input }) => /content-length:[^\r]*\t/i.test(input.toString("latin1"))],
  ["HPE_INVALID_TRANSFER_ENCODING", ({ input }) => /transfer-encoding:[^\r]*\t/i.test(input.toString("latin1"))],
  // White space around the separators of an extension is allowed (RFC 9112 §7.1.1).
  ["HPE_INVALID_CHUNK_SIZE", ({ input }) => /[0-9a-f][\t ]+;/i.test(input.toString("latin1"))],
  ["HPE_STRICT", ({ input }) => /;[^\r\n]*[\t ]/.test(input.toString("latin1"))],
];

function disagreement(claim: Claim, verdict: Verdict): string {
  const { error } = verdict;
  if (error !== undefined && JUSTIFIED.some(([name, when]) => name === error && when(claim))) return "";
  if (verdict.method === undefined) return `Node refuses it: ${error ?? "it waits"}`;
  const mine = [claim.method, claim.target, ...claim.fields];
  const others = [verdict.method, verdict.url ?? "", ...(verdict.fields ?? [])];
  if (JSON.stringify(mine) !== JSON.stringify(others)) return `Node reads ${JSON.stringify(others)}`;
  if (claim.body === undefined) return "";
  if (error !== undefined) return `Node refuses the body: ${error}`;
  return claim.body === verdict.body ? "" : `Node reads the body ${JSON.stringify(verdict.body)}`;
}

let oracle: Oracle | undefined;

async function confirm(claims: readonly Claim[]): Promise<string[]> {
  oracle ??= new Oracle();
  const verdicts = await oracle.ask(claims.map(({ input }) => input));
  return claims.map((claim, i) => disagreement(claim, verdicts[i] ?? {}));
}

/** Ends the parser with which requests are compared. */
export function closeOracle(): void {
  oracle?.close();
  oracle = undefined;
}

const HEAD = "GET /a/../b?c=%2F HTTP/1.1\r\nHost: a.test\r\n";
const CHUNKED = "POST /x HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n";

const SEEDS = [
  `${HEAD}\r\n`,
  `\r\n${HEAD}Accept: */*\r\nCookie: a=b; c=d\r\n\r\n${HEAD}Connection: close\r\n\r\n`,
  "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: [::1]:80\r\nMax-Forwards: 0\r\n\r\n",
  "GET http://a.test:80/x?y HTTP/1.1\r\nHost: b.test\r\nVia: 1.0 z\r\nX-Forwarded-For: 1.1.1.1\r\n\r\n",
  `POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello${HEAD}\r\n`,
  `PUT /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello`,
  `${CHUNKED}5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n${HEAD}\r\n`,
  `${CHUNKED}A ; a = "b;\\"" ; c\r\n0123456789\r\n00\r\n\r\n`,
  `${HEAD}Connection: X-Hop, upgrade\r\nX-Hop: 1\r\nUpgrade: h2c\r\nTE: trailers\r\nKeep-Alive: 5\r\n\r\n`,
];

const WORDS = [
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  ",",
  ";",
  "=",
  '"',
  "%00",
  "%2e",
  "..",
  "//",
  "\\",
  "#",
  "*",
  "GET ",
  "HEAD ",
  "CONNECT ",
  "TRACE ",
  " HTTP/1.1\r\n",
  " HTTP/1.0\r\n",
  " HTTP/2.0\r\n",
  "http://",
  "http://a@b/",
  "Host: a.test\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: 0\r\n",
  "Content-Length: 05\r\n",
  "Content-Length: +5\r\n",
  "Content_Length: 9\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding: identity\r\n",
  ", chunked",
  "Connection: close\r\n",
  "Connection: host\r\n",
  "Expect: 100-continue\r\n",
  "X: y\r\n z\r\n",
  "X : y\r\n",
  "0\r\n\r\n",
  "5\r\nhello\r\n",
  "ffffffffffffffff\r\n",
  "5;a\r\n",
  "\x80",
  "\xff",
].map(latin1);

const token = fc.string({ unit: fc.constantFrom(..."aZ09-_.!~".split("")), minLength: 1, maxLength: 12 });
const value = fc.string({ unit: fc.constantFrom(...'aZ09-_.,;=" \t\xe9:/'.split("")), maxLength: 20 });
const line = fc.oneof(
  fc.tuple(token, value).map(([name, text]) => `${name}: ${text}\r\n`),
  fc.constantFrom(...WORDS.map((word) => word.toString("latin1")).filter((word) => /^[A-Z].*: .*\r\n$/.test(word))),
);
const path = fc.string({ unit: fc.constantFrom(..."/a.%2fe?=&;~".split("")), maxLength: 20 }).map((text) => `/${text}`);
const body = fc.array(
  fc.tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom("", ";a", ";a=b", ' ; a="b"')),
  { maxLength: 4 },
);
const request = fc
  .tuple(
    fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "PUT", "get"),
    path,
    fc.array(line, { maxLength: 6 }),
    fc.option(body),
  )
  .map(([method, target, lines, chunks]) => {
    const head = `${method} ${target} HTTP/1.1\r\nHost: a.test\r\n${lines.join("")}`;
    if (chunks === null) return `${head}\r\n`;
    const coded = chunks.map(([text, ext]) => `${latin1(text).length.toString(16)}${ext}\r\n${text}\r\n`).join("");
    return `${head}Transfer-Encoding: chunked\r\n\r\n${coded}0\r\n\r\n`;
  });

export const HTTP1: Target = {
  name: "http1",
  seeds: SEEDS.map(latin1),
  words: WORDS,
  structured: fc.array(request, { minLength: 1, maxLength: 3 }).map((requests) => latin1(requests.join(""))),
  check,
  confirm,
};
