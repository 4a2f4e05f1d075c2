import { type Steps } from "../../lib/slices.ts";
import { isIP } from "node:net";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { type BoundAddress, boundAddresses, overlap } from "./bound-addresses.ts";
import { type UpstreamConfig, type UpstreamServerConfig } from "./config.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";
import { MAX_SERVERS } from "./max-servers.ts";

const HOST_NAME = /^[a-zA-Z0-9_-]{1,63}(?:\.[a-zA-Z0-9_-]{1,63})*$/;
/** A URI in ASCII (RFC 3986 §3), as a certificate names it. */
const URI_NAME = /^[a-zA-Z][a-zA-Z0-9+.-]*:[!-+\--~]+$/;

function target(server: UpstreamServerConfig, path: string, report: Report): void {
  const { address, port, unix } = server;
  if (unix !== undefined) {
    if (address !== undefined || port !== undefined) report.problem(path, '"unix" excludes "address" and "port"');
  } else if (address === undefined && port === undefined) {
    report.problem(path, 'expected "address" and "port", or "unix"');
  } else if (address === undefined) {
    report.problem(`${path}.address`, "required with port");
  } else if (port === undefined) {
    report.problem(`${path}.port`, "required with address");
  }
}

function repetitions(servers: readonly UpstreamServerConfig[], path: string, report: Report): void {
  const first = new Map<string, number>();
  for (const [i, { address, port, unix }] of servers.entries()) {
    const other = firstWith(first, unix ?? `${address ?? ""} ${port ?? ""}`, i);
    if (other !== undefined)
      report.warning(`${path}.servers[${i}]`, `the same server as servers[${other}], and counts once; see weight`);
  }
}

function clientCertificate(
  { tls, tls_cert_path: cert, tls_key_path: key }: UpstreamConfig,
  path: string,
  report: Report,
): void {
  if (cert !== "" && key === "") report.problem(`${path}.tls_key_path`, "required with tls_cert_path");
  if (cert === "" && key !== "") report.problem(`${path}.tls_cert_path`, "required with tls_key_path");
  if (cert !== "" && !tls) report.problem(`${path}.tls_cert_path`, "requires tls of the upstream");
}

/** Checks `tls_subject_alt_names`: the form of each name, and that the upstream verifies certificates. */
function allowedNames(
  { tls, tls_verify: verify, tls_subject_alt_names: names }: UpstreamConfig,
  at: string,
  report: Report,
): void {
  const path = `${at}.tls_subject_alt_names`;
  if (names.length === 0) return;
  if (!tls) report.problem(path, "requires tls of the upstream");
  else if (!verify) report.problem(path, "requires tls_verify of the upstream");
  for (const [i, name] of names.entries()) {
    const isKnown = isIP(name) !== 0 || URI_NAME.test(name) || HOST_NAME.test(name);
    if (!isKnown) {
      report.problem(
        `${path}[${i}]`,
        `expected a host name without wildcard, an IP address or a URI, found ${JSON.stringify(name)}`,
      );
    }
  }
}

function checkUpstream(upstream: UpstreamConfig, path: string, report: Report): void {
  for (const [i, server] of upstream.servers.entries()) {
    target(server, `${path}.servers[${i}]`, report);
    if (upstream.tls && server.unix !== undefined) {
      report.problem(`${path}.servers[${i}].unix`, "excluded by tls of the upstream");
    }
  }
  clientCertificate(upstream, path, report);
  allowedNames(upstream, path, report);
  if (isIP(upstream.tls_sni) !== 0) {
    report.problem(`${path}.tls_sni`, "expected a host name: SNI has no IP addresses");
  }
  repetitions(upstream.servers, path, report);
  const isFar = upstream.servers.some(({ address }) => address !== undefined && !isLoopback(address));
  if (upstream.token_env !== "" && isFar && !upstream.tls) {
    report.warning(`${path}.token_env`, "the token is sent in clear text: set tls, unless another layer encrypts");
  }
  if (upstream.protocol === "h2" && !upstream.tls) {
    report.problem(`${path}.protocol`, "h2 needs tls of the upstream; HTTP/2 without TLS is h2c");
  }
  if (upstream.protocol === "h2c" && upstream.tls) {
    report.problem(`${path}.protocol`, "h2c is HTTP/2 without TLS, and the upstream has tls; use h2");
  }
  if (upstream.slow_start_ms > 0 && upstream.load_balancer === "round_robin") {
    report.warning(`${path}.slow_start_ms`, "has no effect with load_balancer round_robin, which has no weights");
  }
  const isEmpty =
    upstream.servers.length === 0 && upstream.dns_discovery === undefined && upstream.catalog_discovery === undefined;
  if (upstream.deleted && !isEmpty) report.problem(`${path}.deleted`, "excludes servers and discovery");
  if (isEmpty && !upstream.deleted) {
    report.warning(`${path}.servers`, "there is no server and no discovery: its routes respond with 503");
  }
}

/** Finds servers that are this gateway: a request whose route names them could be forwarded without an end. */
function loops({ servers }: UpstreamConfig, own: readonly BoundAddress[], { path, report }: At): void {
  for (const [i, { address, port }] of servers.entries()) {
    if (address === undefined || !isLoopback(address)) continue;
    const ip = address === "localhost" ? "127.0.0.1" : address;
    const listener = own.find((one) => one.port !== 0 && one.port === port && overlap(one.address, ip));
    if (listener !== undefined)
      report.notice(`${path}.servers[${i}]`, `is this gateway itself (${listener.path}): requests could loop`);
  }
}

interface At {
  readonly path: string;
  readonly report: Report;
}

/** Checks `upstreams[]`. */
export function* checkUpstreams({ upstreams, server }: Draft, report: Report): Steps<void> {
  const own = server === undefined ? [] : boundAddresses(server);
  const first = new Map<string, number>();
  for (const [i, upstream] of upstreams.entries()) {
    if (upstream === undefined) continue;
    const other = firstWith(first, upstream.name, i);
    if (other !== undefined) {
      report.problem(`upstreams[${i}].name`, `${JSON.stringify(upstream.name)} is the name of upstreams[${other}]`);
    }
    checkUpstream(upstream, `upstreams[${i}]`, report);
    loops(upstream, own, { path: `upstreams[${i}]`, report });
    yield;
  }
  const deleted = upstreams.filter((upstream) => upstream?.deleted).map((upstream) => JSON.stringify(upstream?.name));
  if (deleted.length > 0) {
    const message = `routes that name them respond with 503 until they are added again: ${deleted.join(", ")}`;
    report.notice("upstreams", `some are deleted; ${message}`);
  }
  const count = upstreams.reduce((sum, upstream) => sum + (upstream?.servers.length ?? 0), 0);
  if (count > MAX_SERVERS) {
    report.problem("upstreams", `expected at most ${MAX_SERVERS} servers in all upstreams together, found ${count}`);
  }
}
