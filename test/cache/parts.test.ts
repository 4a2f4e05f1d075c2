/** Parts of responses (206) are stored, and serve ranges within them (RFC 9111 §3.3, §3.4). */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { type Message, statusOf, valuesOf } from "../support/message.ts";
import { once } from "../support/raw-client.ts";
import { valueOf } from "../support/prometheus.ts";
import { until } from "../support/program.ts";
import { CacheBed, cacheStatus } from "./testing/cache-bed.ts";

const WHOLE = "0123456789abcdefghij";
let bed: CacheBed;

beforeAll(async () => {
  bed = await CacheBed.start({ max_entry_bytes: 1000 });
});

afterAll(() => bed.stop());

afterEach(() => bed.reset());

/** Makes the origin serve ranges of `WHOLE`, with these fields. */
function servesRanges(fields: string): void {
  bed.origin.response = (request, connection) => {
    const [, asked] = request.fields.find(([name]) => name.toLowerCase() === "range") ?? [];
    const [, from = "0", to = ""] = /bytes=(\d+)-(\d*)/.exec(asked ?? "") ?? [];
    const last = to === "" ? WHOLE.length - 1 : Number(to);
    const body = asked === undefined ? WHOLE : WHOLE.slice(Number(from), last + 1);
    const head = asked === undefined ? "200 OK" : `206 Part\r\nContent-Range: bytes ${from}-${last}/${WHOLE.length}`;
    connection.send(`HTTP/1.1 ${head}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`);
  };
}

function range(path: string, bytes: string, fields = ""): Promise<Message> {
  return bed.ask(path, `Range: bytes=${bytes}\r\n${fields}`);
}

function isHit(message: Message): boolean {
  return cacheStatus(message).startsWith("Turnpike; hit");
}

test("a stored part serves the ranges within it, with their fields", async () => {
  const path = bed.newPath();
  servesRanges("Cache-Control: max-age=60\r\nX-Kept: yes\r\n");
  const first = await range(path, "10-");
  expect([statusOf(first), first.body, isHit(first)]).toEqual([206, "abcdefghij", false]);
  for (const [asked, body, content] of [
    ["10-", "abcdefghij", "bytes 10-19/20"],
    ["12-14", "cde", "bytes 12-14/20"],
    ["-3", "hij", "bytes 17-19/20"],
    ["15-99", "fghij", "bytes 15-19/20"],
  ] as const) {
    const response = await range(path, asked);
    expect([statusOf(response), response.body, isHit(response)]).toEqual([206, body, true]);
    expect([valuesOf(response, "content-range"), valuesOf(response, "x-kept")]).toEqual([[content], ["yes"]]);
    expect(valuesOf(response, "age")).toHaveLength(1);
  }
  expect(bed.origin.requests).toHaveLength(1);
});

test.each(["9-12", "12-15", "-3", "0-1,3-4", ""])(
  "%p, which exceeds the stored part or has several ranges, is requested from the origin",
  async (asked) => {
    const path = bed.newPath();
    servesRanges("Cache-Control: max-age=60\r\n");
    await range(path, "10-14");
    expect(isHit(await (asked === "" ? bed.ask(path) : range(path, asked)))).toBe(false);
    expect(bed.origin.requests).toHaveLength(2);
  },
);

test("parts of one response with a strong entity tag are joined, until the response is complete", async () => {
  const path = bed.newPath();
  servesRanges('Cache-Control: max-age=60\r\nETag: "a"\r\n');
  await range(path, "8-11");
  await range(path, "0-7");
  const joined = await range(path, "6-9");
  expect([joined.body, isHit(joined)]).toEqual(["6789", true]);
  await range(path, "10-19");
  const whole = await bed.ask(path);
  expect([statusOf(whole), whole.body, isHit(whole), valuesOf(whole, "content-range")]).toEqual([200, WHOLE, true, []]);
  expect(bed.origin.requests).toHaveLength(3);
});

test.each([
  ["no entity tag", "", ""],
  ["a weak one", 'ETag: W/"a"\r\n', 'ETag: W/"a"\r\n'],
  ["another one", 'ETag: "a"\r\n', 'ETag: "b"\r\n'],
])("parts with %s are not joined: the later part replaces the earlier one", async (_, one, other) => {
  const path = bed.newPath();
  servesRanges(`Cache-Control: max-age=60\r\n${one}`);
  await range(path, "0-7");
  servesRanges(`Cache-Control: max-age=60\r\n${other}`);
  await range(path, "8-11");
  expect(isHit(await range(path, "8-11"))).toBe(true);
  expect(isHit(await range(path, "6-9"))).toBe(false);
});

test("parts obey If-Range, If-None-Match and no-cache", async () => {
  const path = bed.newPath();
  servesRanges('Cache-Control: max-age=60\r\nETag: "a"\r\n');
  await range(path, "0-7");
  expect(isHit(await range(path, "1-2", 'If-Range: "a"\r\n'))).toBe(true);
  expect(statusOf(await range(path, "1-2", 'If-None-Match: "a"\r\n'))).toBe(304);
  expect(isHit(await range(path, "1-2", 'If-Range: "b"\r\n'))).toBe(false);
  expect(isHit(await range(path, "1-2", "Cache-Control: no-cache\r\n"))).toBe(false);
});

test.each([
  ["that may not be kept", "HTTP/1.1 206 P\r\nCache-Control: private\r\nContent-Range: bytes 0-1/4\r\n", "ab"],
  [
    "of another length than its range",
    "HTTP/1.1 206 P\r\nCache-Control: max-age=9\r\nContent-Range: bytes 0-2/4\r\n",
    "ab",
  ],
  ["of no known whole", "HTTP/1.1 206 P\r\nCache-Control: max-age=9\r\nContent-Range: bytes 0-1/*\r\n", "ab"],
  ["beyond its whole", "HTTP/1.1 206 P\r\nCache-Control: max-age=9\r\nContent-Range: bytes 0-1/1\r\n", "ab"],
  [
    "of several ranges",
    "HTTP/1.1 206 P\r\nCache-Control: max-age=9\r\nContent-Type: multipart/byteranges; boundary=a\r\n",
    "ab",
  ],
  [
    "larger than an entry",
    "HTTP/1.1 206 P\r\nCache-Control: max-age=9\r\nContent-Range: bytes 0-1999/4000\r\n",
    "x".repeat(2000),
  ],
])("a part %s is forwarded, and not stored", async (_, head, body) => {
  const path = bed.newPath();
  bed.origin.response = (__, connection) => connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
  for (let i = 0; i < 2; i++) {
    const response = await range(path, "0-1");
    expect([statusOf(response), response.body, isHit(response)]).toEqual([206, body, false]);
  }
});

test("a part whose length is known only from its end is stored", async () => {
  const path = bed.newPath();
  bed.origin.response = (_, connection) =>
    connection.send(
      "HTTP/1.1 206 P\r\nCache-Control: max-age=60\r\nContent-Range: bytes 1-4/9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n",
    );
  await range(path, "1-4");
  expect([(await range(path, "2-3")).body, bed.origin.requests.length]).toEqual(["bc", 1]);
});

test("a part that is cut off is not stored, and its space is freed", async () => {
  const path = bed.newPath();
  const bytes = async (): Promise<number> =>
    valueOf((await once(bed.gateway.port, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n")).body, "turnpike_cache_bytes");
  const before = await bytes();
  bed.origin.response = (_, connection) => {
    connection.send(
      "HTTP/1.1 206 P\r\nCache-Control: max-age=60\r\nContent-Range: bytes 0-9/20\r\nContent-Length: 10\r\n\r\nabc",
    );
  };
  const client = await bed.opened(path, "Range: bytes=0-9\r\n");
  await client.sees("abc");
  client.destroy();
  servesRanges("Cache-Control: max-age=60\r\n");
  await until("the room back", async () => ((await bytes()) === before ? true : undefined));
  expect(isHit(await range(path, "0-1"))).toBe(false);
});
