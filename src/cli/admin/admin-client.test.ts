import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { patient } from "../../lib/testing/patience.ts";
import { COMMAND } from "../../../test/support/program.ts";

setDefaultTimeout(patient(30_000));

const KEY = "the-admin-key";
const folder = mkdtempSync(join(tmpdir(), "turnpike-admin-client-"));
const ca = makeCertificate({ isCa: true, subject: [["CN", "ca"]] });
const CERTIFICATES = {
  good: makeCertificate({ issuer: ca, hostnames: ["127.0.0.1"] }),
  self: makeCertificate({ hostnames: ["127.0.0.1"] }),
  elsewhere: makeCertificate({ issuer: ca, hostnames: ["other.test"] }),
  expired: makeCertificate({ issuer: ca, hostnames: ["127.0.0.1"], from: -9, to: -1 }),
};
writeFileSync(join(folder, "ca.pem"), ca.cert);
writeFileSync(join(folder, "self.pem"), CERTIFICATES.self.cert);

const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** Starts a server that sends raw bytes. Returns its URL. */
async function raw(response: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => response(socket));
  });
  const port = await listenOnLoopback(server);
  closing.push(() => server.close());
  return `http://127.0.0.1:${port}`;
}

function http(fetch: (request: Request) => Response | Promise<Response>, tls?: { cert: string; key: string }): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch, ...(tls === undefined ? {} : { tls }) });
  closing.push(() => server.stop(true));
  return server.url.origin;
}

const OK = { tenants: [{ key: "a\u001b[31m\u202e", path: "/run/a.sock", last_used_ms: 0, workers: 2 }] };

async function turnpike(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = Bun.spawn([...COMMAND, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TURNPIKE_HOME: folder, TURNPIKE_ADMIN_KEY: KEY, ...env },
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

function problem(status: number, body: object, headers: Record<string, string> = {}): Response {
  return Response.json(
    { type: "urn:turnpike:error:x", title: "A Title", status, ...body },
    { status, headers: { "content-type": "application/problem+json", ...headers } },
  );
}

let stolen: string[];
beforeAll(() => {
  stolen = [];
});

const ERRORS: readonly (readonly [string, () => string | Promise<string>, RegExp])[] = [
  ["nothing listens", () => "http://127.0.0.1:1", /nothing listens there; is the gateway running/],
  ["a reset", () => raw((socket) => socket.resetAndDestroy()), /the connection was closed; is it https\?/],
  ["an end", () => raw((socket) => socket.end()), /the connection was closed; is it https\?/],
  ["garbage", () => raw((socket) => socket.end("SSH-2.0-x\r\n\r\n")), /it does not speak HTTP/],
  [
    "a body that breaks off",
    () => raw((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{")),
    /breaks off|connection was closed|aborted/,
  ],
  [
    "no JSON",
    () => http(() => new Response("<p>Welcome to nginx!</p>")),
    /it is not JSON; is that an admin interface\?/,
  ],
  ["other JSON", () => http(() => Response.json([1])), /this version cannot read it/],
  [
    "a page in an error's place",
    () => http(() => new Response("no", { status: 404 })),
    /status 404, without a problem/,
  ],
  [
    "plain HTTP in the place of TLS",
    () => http(() => new Response()).replace("http:", "https:"),
    /speak TLS; is it http\?/,
  ],
  [
    "TLS in the place of HTTP",
    () => http(() => new Response(), CERTIFICATES.good).replace("https:", "http:"),
    /closed/,
  ],
  [
    "an unknown CA",
    () => http(() => Response.json(OK), CERTIFICATES.good),
    /signed by an authority that is not trusted; name its CA/,
  ],
  ["a certificate of its own", () => http(() => Response.json(OK), CERTIFICATES.self), /with --admin-ca/],
  ["silence", () => raw(() => {}), /no response within 1 s/],
  [
    "a response that does not end",
    () => raw((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n{")),
    /no response within 1 s/,
  ],
];

test.each(ERRORS)("%s: the message is one plain line", async (_, start, words) => {
  const url = await start();
  const { out, err, code } = await turnpike(["tenants", "--admin", url, "--timeout", "1"]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(words);
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(err).toStartWith("turnpike tenants: Cannot ");
  expect(err).toContain(url);
  expect(err).not.toContain(KEY);
});

test.each([
  ["its CA", CERTIFICATES.good, "ca.pem", undefined],
  ["the certificate itself", CERTIFICATES.self, "self.pem", undefined],
  ["a CA that has not signed it", CERTIFICATES.good, "self.pem", "its certificate is not signed by --admin-ca"],
  ["a certificate for another name", CERTIFICATES.elsewhere, "ca.pem", 'its certificate is not for "127.0.0.1"'],
  ["one that is over", CERTIFICATES.expired, "ca.pem", "its certificate has expired"],
] as const)("over TLS: %s", async (_, certificate, file, failure) => {
  const url = http(() => Response.json(OK), certificate);
  const { err, code } = await turnpike(["tenants", "--admin", url, "--admin-ca", join(folder, file)]);
  expect([code, err]).toEqual(
    failure === undefined ? [0, ""] : [1, `turnpike tenants: Cannot reach ${url}: ${failure}\n`],
  );
});

test("the key goes only to the named address: the client uses no proxy and follows no redirect", async () => {
  const thief = http((request) => {
    stolen.push(request.headers.get("x-api-key") ?? request.url);
    return Response.json(OK);
  });
  const url = http((request) => {
    expect(request.headers.get("x-api-key")).toBe(KEY);
    return Response.redirect(thief, 307);
  });
  const proxies = { HTTP_PROXY: thief, http_proxy: thief, ALL_PROXY: thief };
  const { err, code } = await turnpike(["tenants", "--admin", url], proxies);
  expect([code, err]).toEqual([
    1,
    `turnpike tenants: Cannot use the response of ${url}: status 307, a redirect, which is not followed, without a problem document; is that an admin interface?\n`,
  ]);
  expect(stolen).toEqual([]);
});

test("a refusal shows the problem's text, with each error on its line and with its invisible characters shown", async () => {
  const url = http(() =>
    problem(400, {
      detail: "The configuration has 2 problems.\u001b[2J\ufeff\u2028",
      errors: [
        { path: "routes[3].upstream", message: 'no upstream "x"\nturnpike: all is well' },
        { path: "", message: "\u009bwrong" },
      ],
    }),
  );
  const { err, code } = await turnpike(["tenants", "--admin", url]);
  expect(code).toBe(1);
  expect(err.split("\n")).toEqual([
    'routes[3].upstream: no upstream "x" turnpike: all is well',
    "\\u{9b}wrong",
    "turnpike tenants: The configuration has 2 problems.\\u{1b}[2J\\u{feff}\\u{2028}",
    "",
  ]);
});

test.each([
  [401, { detail: "No key, or a wrong one." }, {}, "No key, or a wrong one. (ORIGIN)"],
  [429, { detail: "Too many wrong keys." }, { "retry-after": "17" }, "Too many wrong keys.; try again in 17 s"],
  [503, {}, {}, "503 A Title"],
])("a %d says what is the case", async (status, body, headers, words) => {
  const url = http(() => problem(status, body, headers));
  const { err, code } = await turnpike(["tenants", "--admin", url]);
  expect([code, err]).toEqual([1, `turnpike tenants: ${words.replace("ORIGIN", url)}\n`]);
});

test("an unencrypted connection to another machine causes a warning", async () => {
  const { err } = await turnpike(["tenants", "--admin", "http://no-such-host.invalid"]);
  expect(err.split("\n")).toEqual([
    expect.stringMatching(/^warning: the admin key is sent to no-such-host\.invalid in clear text; /),
    'turnpike tenants: Cannot reach http://no-such-host.invalid: no address is known for "no-such-host.invalid"',
    "",
  ]);
});

test("--json prints the response unchanged; a table has nothing that steers a terminal", async () => {
  const url = http(() => Response.json({ ...OK, more: [1] }));
  const json = await turnpike(["tenants", "--admin", url, "--json"]);
  expect(JSON.parse(json.out)).toEqual({ ...OK, more: [1] });
  expect(json.out).toContain("a\\u001b[31m\\u202e");
  const { out } = await turnpike(["tenants", "--admin", url]);
  expect(out).toBe("KEY\tSOCKET\tLAST USED\tWORKERS\na\\u{1b}[31m\\u{202e}\t/run/a.sock\t1970-01-01T00:00:00Z\t2\n");
});
