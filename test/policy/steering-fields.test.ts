/** Fields with which clients could make upstreams bypass the gateway's checks, over every protocol. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { FIELD_ROLES } from "../../src/lib/http/field-roles.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder, until } from "../support/program.ts";
import { RawOrigin, summary } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Request, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const KEY = "a key of twenty bytes";
const GUARDED = { auth: { type: "api_key", keys: [{ key: KEY, name: "alice" }] } };
const TOLD = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via", "x-request-id", "host"];
const STRIPPED = [
  ...FIELD_ROLES.forwarded,
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-scheme",
  "x-forwarded-anything-at-all",
  "x-original-url",
  "x-original-uri",
  "payment-signature",
  "x-payment",
];
const FORBIDDEN_TRAILERS = [
  "authorization",
  "cookie",
  "set-cookie",
  "content-type",
  "content-encoding",
  "content-range",
  "cache-control",
  "range",
  "if-none-match",
  "if-range",
  "host",
  "max-forwards",
  "vary",
  "user-agent",
  "x-http-method-override",
  "x-real-ip",
  "x-consumer-name",
  ...STRIPPED,
];

let origin: RawOrigin;
let mirror: RawOrigin;
let folder: Folder;
let gateway: ProtocolGateway;

function route(path_prefix: string, more: object = {}): object {
  return { path_prefix, upstream: "origin", mirror: "mirror", ...more };
}

beforeAll(async () => {
  origin = await RawOrigin.start();
  mirror = await RawOrigin.start();
  folder = new Folder();
  gateway = await startProtocols({
    state_path: folder.path,
    x402: { enabled: true, test_mode: true },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "mirror", servers: [serverAt(mirror.port)] },
    ],
    routes: [
      route("/free"),
      route("/cached", { cache: { ttl_s: 60 } }),
      route("/paid", { x402: TERMS }),
      route("/guarded", GUARDED),
      route("/both", { ...GUARDED, x402: TERMS }),
      route("/prefixed", { headers: { request: { set: [{ name: "X-Forwarded-Prefix", value: "/ours" }] } } }),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  await mirror.stop();
  folder.remove();
});

beforeEach(() => {
  origin.reset();
  mirror.reset();
});

/** The fields of the upstream's last request, without those that the gateway sets. */
function received(): string[] {
  const fields = origin.requests.at(-1)?.fields ?? [];
  return fields.map(([name]) => name.toLowerCase()).filter((name) => !TOLD.includes(name));
}

function spelled(name: string): string[] {
  return name.includes("-") ? [name, name.replaceAll("-", "_"), name.replace("-", "_")] : [name];
}

for (const protocol of PROTOCOLS) {
  const ask = (request: Request): ReturnType<ProtocolGateway["request"]> => gateway.request(protocol, request);

  test(`over ${protocol} no field that only the gateway may set reaches an upstream from a client`, async () => {
    const headers = STRIPPED.flatMap(spelled).map((name) => [name, "/paid"] as const);
    for (const path of ["/free", "/cached/x"]) {
      for (let at = 0; at < headers.length; at += 40) {
        const some = [...headers.slice(at, at + 40), ["x-kept", "1"] as const];
        expect((await ask({ path: `${path}?${at}`, headers: some })).status).toBe(200);
        expect(received().filter((name) => name !== "accept-encoding")).toEqual(["x-kept"]);
      }
    }
    await until("the mirror has the copies", () => (mirror.requests.length > 0 ? true : undefined));
    expect(mirror.requests.flatMap(({ fields }) => fields).filter(([name]) => /payment/i.test(name))).toEqual([]);
  });

  test(`over ${protocol} a header rule may set fields that clients may not`, async () => {
    await ask({ path: "/prefixed", headers: { "x-forwarded-prefix": "/theirs" } });
    const fields = origin.requests.at(-1)?.fields ?? [];
    expect(fields.filter(([name]) => name.toLowerCase() === "x-forwarded-prefix")).toEqual([
      ["X-Forwarded-Prefix", "/ours"],
    ]);
  });

  test(`over ${protocol} a method override is refused on routes with authentication, a price or a cache`, async () => {
    for (const name of FIELD_ROLES.methodOverride) {
      const [free, ...others] = ["/free", "/paid", "/guarded", "/both", "/cached/override"].map((path) => ({
        path,
        headers: { [name]: "DELETE", "x-api-key": KEY },
      }));
      for (const request of others)
        expect([name, request.path, (await ask(request)).status]).toEqual([name, request.path, 400]);
      expect(origin.summaries).toEqual([]);
      expect((await ask(free ?? {})).status).toBe(200);
      expect(received()).toContain(name);
      origin.reset();
      const underscored = { path: "/guarded", headers: { [name.replaceAll("-", "_")]: "DELETE", "x-api-key": KEY } };
      expect((await ask(underscored)).status).toBe(200);
      expect(received().filter((field) => field.includes("method"))).toEqual([]);
      origin.reset();
    }
  });

  test(`over ${protocol} trailers lose fields that belong in a header section`, async () => {
    const names = FORBIDDEN_TRAILERS.flatMap(spelled).filter((name) => protocol !== "HTTP/3" || name !== "host");
    for (let at = 0; at < names.length; at += 40) {
      const trailers = [
        ...names.slice(at, at + 40).map((name) => [name, "1"] as const),
        ["x-checksum", "abc"] as const,
      ];
      const reply = await ask({ method: "POST", path: "/free", body: "body", trailers });
      expect([at, reply.status]).toEqual([at, 200]);
      expect(origin.requests.at(-1)?.trailers.map(([name, value]) => [name.toLowerCase(), value])).toEqual([
        ["x-checksum", "abc"],
      ]);
    }
  });

  test(`over ${protocol} a preflight of a guarded route changes nothing at its upstream`, async () => {
    origin.response = (_, connection) => {
      const fields =
        "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: X-Own\r\nLocation: /paid/x\r\nSet-Cookie: a=b\r\n" +
        "X-Goods: sold\r\nAccess-Control-Expose-Headers: X-Goods\r\n";
      connection.send(
        `HTTP/1.1 103 Early Hints\r\nLink: </goods>\r\n\r\nHTTP/1.1 201 Created\r\n${fields}Content-Length: 5\r\n\r\ngoods`,
      );
    };
    const headers = {
      origin: "https://a.test",
      "access-control-request-method": "POST",
      "access-control-request-headers": "payment-signature",
      "x-http-method": "POST",
      "x-other": "1",
      cookie: "c=d",
    };
    const preflight = { method: "OPTIONS", path: "/paid/x?do=it", headers };
    expect((await ask(preflight)).status).toBe(400);
    const { "x-http-method": _, ...plain } = headers;
    const reply = await ask({ ...preflight, headers: plain });
    expect([reply.status, reply.text]).toEqual([204, ""]);
    const names = reply.headers
      .map(([name]) => name)
      .filter((name) => /access-control|location|cookie|goods|link/.test(name));
    expect([...new Set(names)].toSorted()).toEqual(["access-control-allow-headers", "access-control-allow-origin"]);
    expect(reply.header("access-control-allow-headers")).toBe("X-Own, PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream");
    expect(reply.header("vary")).toContain("Origin");
    expect(origin.requests.map(summary)).toEqual(["OPTIONS /paid/x"]);
    expect(
      received()
        .filter((name) => name !== "content-length")
        .toSorted(),
    ).toEqual(["access-control-request-headers", "access-control-request-method", "origin"]);
    origin.reset();
    for (const path of ["/guarded/x?do=it", "/both/x"]) {
      const responded = await ask({ ...preflight, path, headers: plain });
      expect([path, responded.status, responded.header("access-control-allow-origin")]).toEqual([path, 204, undefined]);
    }
    const { origin: from, ...noOrigin } = plain;
    expect(from).toBe("https://a.test");
    expect((await ask({ ...preflight, headers: noOrigin })).status).toBe(402);
    expect((await ask({ ...preflight, headers: plain, body: "a body" })).status).toBe(402);
    expect((await ask({ ...preflight, path: "/guarded/x", headers: plain, body: "a body" })).status).toBe(401);
    expect((await ask({ ...preflight, path: "/guarded/x", headers: noOrigin })).status).toBe(401);
    expect(origin.summaries).toEqual([]);
    expect(mirror.summaries).toEqual([]);
  });

  test(`over ${protocol} a preflight that fails at the upstream grants nothing`, async () => {
    origin.response = (_, connection) =>
      connection.send("HTTP/1.1 404 Not Found\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 2\r\n\r\nno");
    const headers = { origin: "https://a.test", "access-control-request-method": "GET" };
    const reply = await ask({ method: "OPTIONS", path: "/paid/x", headers });
    expect([reply.status, reply.text, reply.header("access-control-allow-origin")]).toEqual([204, "", undefined]);
  });
}
