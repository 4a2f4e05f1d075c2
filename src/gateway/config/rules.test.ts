/** Rules at their limits: the last value that is allowed, and the first one that is not. */
import { expect, test } from "bun:test";
import { diagnosticText } from "./diagnostic.ts";
import { loadValue } from "./load.ts";
import { MAX_SERVERS } from "./max-servers.ts";

function said(value: object): { problems: string[]; warnings: string[] } {
  const { problems, warnings } = loadValue({ routes: [], ...value });
  return { problems: problems.map(diagnosticText), warnings: warnings.map(diagnosticText) };
}

function withQuic(quic: object, workers = 1): ReturnType<typeof said> {
  const server = { workers };
  return said({ server, quic: { enabled: true, port: 443, cert_path: "a.pem", key_path: "a.key", ...quic } });
}

test("an HTTP/3 client needs three unidirectional streams and one for requests", () => {
  const few = "quic.max_streams_uni: HTTP/3 clients need 3 streams of their own, and may not work with fewer";
  expect(withQuic({ max_streams_uni: 3, max_streams_bidi: 1 }).warnings).toEqual([]);
  expect(withQuic({ max_streams_uni: 2 }).warnings).toEqual([few]);
  expect(withQuic({ max_streams_bidi: 0 }).warnings).toEqual([
    "quic.max_streams_bidi: with 0, HTTP/3 clients cannot send requests",
  ]);
  expect(withQuic({ enabled: false, max_streams_uni: 0, max_streams_bidi: 0 }).warnings).toEqual([]);
});

test("several workers cannot share a UDP port that the kernel chooses", () => {
  const chosen = "quic.port: expected a port number with more than one worker, found 0";
  expect(withQuic({ port: 0 }, 1).problems).toEqual([]);
  expect(withQuic({ port: 0 }, 2).problems).toEqual([chosen]);
  expect(withQuic({ port: 443 }, 2).problems).toEqual([]);
  expect(withQuic({ port: 0, enabled: false }, 2).problems).toEqual([]);
});

function upstream(name: string, count: number): object {
  return { name, servers: Array.from({ length: count }, () => ({ address: "127.0.0.1", port: 9000 })) };
}

test("all upstreams together have at most MAX_SERVERS servers", () => {
  expect(said({ upstreams: [upstream("a", MAX_SERVERS - 1), upstream("b", 1)] }).problems).toEqual([]);
  expect(said({ upstreams: [upstream("a", MAX_SERVERS - 1), upstream("b", 2)] }).problems).toEqual([
    `upstreams: expected at most ${MAX_SERVERS} servers in all upstreams together, found ${MAX_SERVERS + 1}`,
  ]);
});

function wrongName(at: number, found: string): string {
  return `upstreams[0].tls_subject_alt_names[${at}]: expected a host name without wildcard, an IP address or a URI, found ${found}`;
}

test("names of upstream certificates are hosts, addresses or URIs, and need TLS with verification", () => {
  const names = ["api.internal", "10.0.0.1", "::1", "spiffe://cluster.local/ns/shop", "*.internal", "a b"];
  const tls = { tls: true, tls_subject_alt_names: names };
  expect(said({ upstreams: [{ ...upstream("a", 1), ...tls, tls_subject_alt_names: names }] }).problems).toEqual([
    wrongName(4, '"*.internal"'),
    wrongName(5, '"a b"'),
  ]);
  const one = { tls_subject_alt_names: ["a"] };
  expect(said({ upstreams: [{ ...upstream("a", 1), ...one }] }).problems).toEqual([
    "upstreams[0].tls_subject_alt_names: requires tls of the upstream",
  ]);
  expect(said({ upstreams: [{ ...upstream("a", 1), ...one, tls: true, tls_verify: false }] }).problems).toEqual([
    "upstreams[0].tls_subject_alt_names: requires tls_verify of the upstream",
  ]);
});

test("an address with a wrong checksum is a warning, since a digit may be mistyped", () => {
  const right = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
  const warned = (payTo: string): string[] => {
    const x402 = {
      price: "$0.01",
      asset: "USDC",
      network: "base",
      pay_to: right,
      facilitator_url: "https://f.example/",
    };
    const routes = [
      {
        path_prefix: "/",
        upstream: "a",
        x402: { ...x402, accepts: [{ ...x402, facilitator_url: undefined, network: "base-sepolia", pay_to: payTo }] },
      },
    ];
    return said({ x402: { enabled: true }, upstreams: [upstream("a", 1)], routes: JSON.parse(JSON.stringify(routes)) })
      .warnings;
  };
  const about =
    "routes[0].x402.accepts[0].pay_to: the letter case is not the checksum of this address (EIP-55); a digit may be mistyped";
  expect(warned(right)).toEqual([]);
  expect(warned(right.toLowerCase())).toEqual([]);
  expect(warned(`0x${right.slice(2).toUpperCase()}`)).toEqual([]);
  expect(warned(right.replace("693B", "693b"))).toEqual([about]);
  expect(warned(right.replace("287C", "288C"))).toEqual([about]);
});

function withJobsIn(url: string): ReturnType<typeof said> {
  return said({ postgres: { url: "postgres://a@db/shop" }, content: { jobs: { postgres: { url } } } });
}

test("the database user of jobs is not that of payments, and its URL has no password", () => {
  expect(withJobsIn("postgres://b@db/shop").problems).toEqual([]);
  expect(withJobsIn("postgres://a@db/other").problems).toEqual([]);
  expect(withJobsIn("postgres://a@db:5432/shop").problems).toEqual([
    "content.jobs.postgres.url: expected another user than that of postgres.url",
  ]);
  expect(withJobsIn("postgres://b:hunter2@db/shop").problems).toEqual([
    expect.stringMatching(/^content\.jobs\.postgres\.url: expected no password: set password_env/),
  ]);
  expect(withJobsIn("postgres://b@db/shop?sslmode=never").problems).toEqual([
    expect.stringMatching(/^content\.jobs\.postgres\.url: expected postgres:/),
  ]);
});
