import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import zlib from "node:zlib";
import { egressError } from "../egress/guard.ts";
import { EGRESS_LIMITS } from "../egress/limits.ts";
import { type FetchedDocument, type PageRequest } from "../page/page.ts";
import { detailOf, loadDocument, noise, textOf } from "../testing/load-document.ts";
import { type RawResponse, RawServer, response } from "../testing/raw-server.ts";
import { pageRequestOf, visiting } from "../testing/visit.ts";
import { MAX_DOCUMENT_BYTES } from "./body.ts";
import { fetchDocument } from "./fetch-document.ts";
import { patient } from "../../lib/testing/patience.ts";

// A busy machine is slow.
setDefaultTimeout(patient(60_000));

let server: RawServer;

beforeAll(async () => {
  server = await RawServer.start();
});

beforeEach(() => {
  server.requests.length = 0;
});

afterAll(() => server.stop());

const urlOf = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

function load(path: string, more: Partial<PageRequest> = {}): Promise<FetchedDocument> {
  return loadDocument(urlOf(path), more);
}

const sends = (bytes: string | Uint8Array): RawResponse => {
  return (socket) => socket.write(bytes);
};
const ends = (bytes: string | Uint8Array): RawResponse => {
  return (socket) => socket.end(bytes);
};

const BROKE_OFF = "page-failed: Cannot load the page: its server closed the connection before the end";

const TOO_LONG = `page-failed: Cannot load the page: it has more than ${MAX_DOCUMENT_BYTES} bytes`;

describe("a document", () => {
  test("is requested as an ordinary browser does", async () => {
    server.responses = { "/a?b=ü": sends(response("x")), "/a?b=%C3%BC": sends(response("hello")) };
    const document = await load("/a?b=ü#part");
    expect(textOf(document)).toBe("hello");
    expect(document).toMatchObject({ statusCode: 200, complete: true, redirects: [] });
    const lines = server.requests[0]?.head.split("\r\n") ?? [];
    expect(lines[0]).toBe("GET /a?b=%C3%BC HTTP/1.1");
    expect(lines[1]).toBe(`Host: 127.0.0.1:${server.port}`);
    expect(lines).toContain("Upgrade-Insecure-Requests: 1");
    expect(lines).toContain("Accept-Language: en-US,en;q=0.9");
    expect(lines).toContain("Accept-Encoding: gzip, deflate, br, zstd");
    expect(lines).toContain("Sec-Fetch-Mode: navigate");
    expect(lines).toContain('sec-ch-ua-platform: "Linux"');
    expect(lines.find((line) => line.startsWith("sec-ch-ua: "))).toMatch(/"Chromium";v="\d+"/);
    expect(lines.find((line) => line.startsWith("User-Agent: "))).toMatch(/Mozilla.* Chrome\/\d+\.0\.0\.0 Safari/);
    expect(lines.some((line) => line.startsWith("Cookie"))).toBe(false);
    await load("/a?b=ü", { userAgent: "Tester/1" });
    expect(server.requests[1]?.head).toContain("\r\nUser-Agent: Tester/1\r\n");
    expect(server.requests[1]?.head).not.toContain("sec-ch-ua");
  });

  test("may be an HTTP error, or empty", async () => {
    server.responses = {
      "/gone": sends(response("<h1>Gone</h1>", "Content-Type: text/html\r\n", "410 Gone")),
      "/none": sends("HTTP/1.1 204 No Content\r\n\r\n"),
      "/empty": sends(response("", "Content-Encoding: gzip\r\n")),
    };
    const gone = await load("/gone");
    expect([gone.statusCode, textOf(gone)]).toEqual([410, "<h1>Gone</h1>"]);
    expect(await load("/none")).toMatchObject({ statusCode: 204, body: new Uint8Array() });
    expect(await load("/empty")).toMatchObject({ statusCode: 200, body: new Uint8Array() });
  });

  test("has its fields except those of its transfer", async () => {
    server.responses = {
      "/": ends(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=koi8-r\r\nX-One: 1\r\nx-one: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      ),
    };
    expect((await load("/")).headers).toEqual([
      ["Content-Type", "text/html; charset=koi8-r"],
      ["X-One", "1"],
      ["x-one", "2"],
    ]);
  });
});

const to = (target: string, status = 302, more = ""): RawResponse =>
  sends(`HTTP/1.1 ${status} Moved\r\nLocation: ${target}\r\n${more}Content-Length: 0\r\n\r\n`);

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("%d is followed, and kept for the browser", async (status) => {
    server.responses = {
      "/from": to("/next/", status),
      "/next/": to("../to?x#new", status),
      "/to?x": sends(response("ok")),
    };
    const document = await load("/from#old");
    expect(document.url).toBe(urlOf("/to?x#new"));
    expect(document.redirects.map(({ url, statusCode }) => [url, statusCode])).toEqual([
      [urlOf("/from#old"), status],
      [urlOf("/next/#old"), status],
    ]);
    expect(document.redirects[0]?.headers).toEqual([["Location", "/next/"]]);
    expect(new Set(server.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  test("by a Refresh field is followed, unless it waits for a reader or has no valid target", async () => {
    server.responses = {
      "/now": sends(response("going", "Refresh: 0; url=/to\r\n")),
      "/late": sends(response("stays", "Refresh: 30; url=/to\r\n")),
      "/self": sends(response("stays", "Refresh: 1\r\n")),
      "/same": sends(response("stays", "Refresh: 1; URL='/same'\r\n")),
      "/to": sends(response("ok")),
    };
    expect(textOf(await load("/now"))).toBe("ok");
    for (const path of ["/late", "/self", "/same"]) expect(textOf(await load(path))).toBe("stays");
  });

  test("keeps the fragment, and is followed if the server closes the connection after it", async () => {
    server.responses = {
      "/from": ends("HTTP/1.1 301 Moved\r\nLocation: /to\r\nConnection: close\r\n\r\nbody without end"),
      "/lazy": (socket, { connection }) => {
        if (connection === server.connections)
          socket.write("HTTP/1.1 301 Moved\r\nLocation: /stale\r\nContent-Length: 0\r\n\r\n");
      },
      "/stale": (socket, { head, connection }) => {
        const first = server.requests.find((request) => request.path === "/lazy");
        if (first?.connection === connection) socket.destroy();
        else socket.end(response(head.includes("stale") ? "fresh" : ""));
      },
      "/to": sends(response("ok")),
    };
    expect((await load("/from#part")).url).toBe(urlOf("/to#part"));
    expect(textOf(await load("/lazy"))).toBe("fresh");
  });

  test("without end, or to another scheme than http and https, is an error", async () => {
    server.responses = {
      "/loop": to("/loop"),
      "/a": to("/b"),
      "/b": to("/a"),
      "/count": (socket, { path }) =>
        socket.write(
          `HTTP/1.1 302 Found\r\nLocation: /count?${path.length}${path.slice(6)}\r\nContent-Length: 0\r\n\r\n`,
        ),
      "/file": to("file:///etc/hostname"),
      "/script": to("javascript:alert(1)"),
      "/broken": to("http://[::1"),
      "/nowhere": sends("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nhere"),
    };
    for (const path of ["/loop", "/a"]) {
      expect(await detailOf(load(path))).toBe("page-failed: Cannot load the page: it redirects without end");
    }
    expect(await detailOf(load("/count?"))).toBe("page-failed: Cannot load the page: it redirects more than 20 times");
    expect(await detailOf(load("/file"))).toBe(
      "page-failed: Cannot load the page: it redirects to file:, not to http or https",
    );
    expect(await detailOf(load("/script"))).toStartWith("page-failed:");
    expect(await detailOf(load("/broken"))).toStartWith("page-failed:");
    expect(textOf(await load("/nowhere"))).toBe("here");
  });

  test("does not reveal a name and password", async () => {
    server.responses = { "/from": to(`http://user:word@127.0.0.1:${server.port}/to`), "/to": sends(response("ok")) };
    expect((await load("/from")).url).toBe(urlOf("/to"));
    expect(server.requests[1]?.head).not.toContain("Authorization");
  });

  test("passes the cookies of one hop to the next", async () => {
    server.responses = {
      "/from": to("/to", 302, "Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Secure\r\nSet-Cookie: c=3; Path=/other\r\n"),
      "/to": sends(response("ok")),
      // Sets a cookie by a redirect to itself.
      "/self": (socket, { head }) =>
        socket.write(
          head.includes("Cookie: seen=1")
            ? response("welcome")
            : "HTTP/1.1 302 Found\r\nLocation: /self\r\nSet-Cookie: seen=1\r\nContent-Length: 0\r\n\r\n",
        ),
    };
    await load("/from");
    expect(server.requests[1]?.head).toContain("\r\nCookie: a=1");
    expect(server.requests[1]?.head).not.toMatch(/b=2|c=3/);
    expect(textOf(await load("/self"))).toBe("welcome");
  });
});

describe("a hostile server", () => {
  test.each<[string, RawResponse, string]>([
    ["breaks off within its declared length", ends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), BROKE_OFF],
    ["breaks off within a chunk", ends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf"), BROKE_OFF],
    [
      "ends without the last chunk",
      ends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
      BROKE_OFF,
    ],
    ["ends within its head", ends("HTTP/1.1 200 OK\r\nContent-Type: text"), BROKE_OFF],
    [
      "sends nothing",
      (socket) => socket.destroy(),
      "page-failed: Cannot load the page: its server closed the connection without a response",
    ],
    [
      "sends another protocol",
      ends("220 mail.test ESMTP\r\n"),
      "page-failed: Cannot load the page: its server's response is not HTTP",
    ],
    [
      "never ends its head",
      (socket) => endless(socket, "HTTP/1.1 200 OK\r\n", "X: yyyyyyyyyyyyyyyy\r\n"),
      "page-failed: Cannot load the page: the head of its response is too long",
    ],
    ["sends more than the limit", (socket) => endless(socket, "HTTP/1.1 200 OK\r\n\r\n", "spaces "), TOO_LONG],
    [
      "sends interim responses for ever",
      (socket) => endless(socket, "", "HTTP/1.1 102 Processing\r\n\r\n"),
      "page-failed: Cannot load the page: its server's response is not HTTP",
    ],
  ])("that %s ends in an error, and the next document is loaded", async (_what, fetched, detail) => {
    server.responses = { "/": fetched, "/next": sends(response("fine")) };
    expect(await detailOf(load("/"))).toBe(detail);
    expect(textOf(await load("/next"))).toBe("fine");
  });

  test("that resets the connection has broken off", async () => {
    server.responses = {
      "/": (socket) => socket.write("HTTP/1.1 200 OK\r\n\r\nhalf", () => socket.resetAndDestroy()),
    };
    expect(await detailOf(load("/"))).toBe(BROKE_OFF);
  });

  test("that declares too long a body is disconnected", async () => {
    server.responses = { "/": sends(`HTTP/1.1 200 OK\r\nContent-Length: ${2 ** 31}\r\n\r\n`) };
    expect(await detailOf(load("/"))).toBe(TOO_LONG);
  });

  test("that sends its limit of bytes in redirects is stopped", async () => {
    const pad = `X: ${"y".repeat(200_000)}\r\n`;
    server.responses = {
      "/": (socket, { path }) =>
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /?${path.length}${path}\r\n${pad}Content-Length: 0\r\n\r\n`),
    };
    const request = pageRequestOf(urlOf("/"));
    const detail = visiting(request, (visit) => {
      visit.egress.receive(EGRESS_LIMITS.receivedBytes - 1_000_000);
      return detailOf(fetchDocument(visit));
    });
    expect(await detail).toBe(`page-failed: ${egressError("too-much").message}`);
  });

  test.each<[string, RawResponse]>([
    ["sends nothing at all", () => undefined],
    ["stops within its head", sends("HTTP/1.1 200 OK\r\n")],
    ["stops within its body", sends("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")],
  ])("that %s is disconnected when the time is over", async (_what, fetched) => {
    server.responses = { "/": fetched };
    expect(await detailOf(load("/", { timeoutMs: 100 }))).toStartWith("page-timeout: Cannot finish loading the page");
    await allClosed();
  });

  test("is disconnected when the client goes away", async () => {
    const client = new AbortController();
    server.responses = {
      "/": (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\nhalf");
        client.abort();
      },
    };
    expect(await detailOf(load("/", { signal: client.signal }))).toBe(
      "page-failed: Cannot load the page: the client closed the connection",
    );
    await allClosed();
  });
});

describe("a part of a document", () => {
  const PART = "<p>first</p>".repeat(10);
  const coded = zlib.gzipSync(Buffer.from(PART + noise(10_000).toString()));

  test.each<[string, RawResponse]>([
    ["plain", sends(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${PART}`)],
    [
      "coded",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n");
        socket.write(coded.subarray(0, coded.length - 100));
      },
    ],
  ])("is returned if the caller accepts one: %s", async (_what, fetched) => {
    server.responses = { "/": fetched };
    const document = await load("/", { partial: true, timeoutMs: 200 });
    expect(document.complete).toBe(false);
    expect(textOf(document)).toStartWith(PART);
  });

  test("is not returned if the document is not HTML, or has not begun", async () => {
    server.responses = {
      "/json": sends("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1, 2,"),
      "/head": sends("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
    };
    for (const path of ["/json", "/head"]) {
      expect(await detailOf(load(path, { partial: true, timeoutMs: 100 }))).toStartWith("page-timeout");
    }
  });
});

function endless(socket: Parameters<RawResponse>[0], first: string, again: string): void {
  socket.write(first);
  const piece = again.repeat(Math.ceil(65_536 / again.length));
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", more);
  more();
}

/** Settles when no connection is open. */
async function allClosed(): Promise<void> {
  while (server.sockets.size > 0) await Bun.sleep(1);
}
