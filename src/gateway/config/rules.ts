import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { readTarget } from "../../store/postgres/target.ts";
import { type Draft, firstWith, type Report } from "./draft.ts";
import { valueAt } from "./diagnostic.ts";
import { boundAddresses, overlap } from "./bound-addresses.ts";
import { certificatePair } from "./certificate-pair.ts";
import { type QuicEndpoint, quicEndpointsOf } from "./quic-endpoints.ts";
import { checkAcme } from "./rules-acme.ts";
import { checkAdmin } from "./rules-admin.ts";

interface Bounded {
  readonly path: string;
  readonly value: number;
}

/**
 * Checks that `larger` is at least `smaller` times `factor`. The diagnostic is for `larger` if the file sets it,
 * otherwise for `smaller`.
 */
function atLeast(larger: Bounded, smaller: Bounded, factor: number, context: { draft: Draft; report: Report }): void {
  if (larger.value >= smaller.value * factor) return;
  const isSet = valueAt(context.draft.raw, larger.path.split(".")) !== undefined;
  if (isSet) {
    const times = factor === 1 ? "" : `${factor} x `;
    const bound = smaller.value * factor;
    context.report.problem(larger.path, `expected at least ${times}${smaller.path} (${bound}), found ${larger.value}`);
  } else {
    const share = factor === 1 ? "" : `1/${factor} of `;
    const bound = Math.floor(larger.value / factor);
    context.report.problem(smaller.path, `expected at most ${share}${larger.path} (${bound}), found ${smaller.value}`);
  }
}

function numbers(draft: Draft, report: Report): void {
  const { server, timeouts, buffer_pool: pool } = draft;
  if (server !== undefined && pool !== undefined) {
    const buffers = { path: "buffer_pool.buffer_count", value: pool.buffer_count };
    atLeast(buffers, { path: "server.max_connections", value: server.max_connections }, 2, { draft, report });
  }
  if (timeouts !== undefined) {
    const idle = { path: "timeouts.idle_ms", value: timeouts.idle_ms };
    for (const key of ["header_ms", "write_ms"] as const) {
      atLeast(idle, { path: `timeouts.${key}`, value: timeouts[key] }, 1, { draft, report });
    }
  }
}

function certificates({ server, tls, quic }: Draft, report: Report): void {
  if (tls !== undefined) certificatePair(tls, "tls", report);
  if (quic !== undefined) certificatePair(quic, "quic", report);
  const hasCertificate = hasAny(tls);
  for (const [i, listener] of (server?.listeners ?? []).entries()) {
    const path = `server.listeners[${i}]`;
    if (listener.use_tls && !hasCertificate && !hasOwn(listener.tls)) {
      report.problem(`${path}.use_tls`, "requires tls.cert_path and tls.key_path");
    }
    if (listener.tls === undefined) continue;
    if (!listener.use_tls) report.problem(`${path}.tls`, "requires use_tls of the listener");
    const { cert_path = "", key_path = "", hosts = [] } = listener.tls;
    certificatePair({ cert_path, key_path }, `${path}.tls`, report);
    repeatedHosts(hosts, `${path}.tls`, report);
  }
  repeatedHosts(tls?.hosts ?? [], "tls", report);
}

/** Reports a host with two rules: the ignored one could have refused clients that the other accepts. */
function repeatedHosts(
  hosts: readonly { readonly hostnames: readonly string[] }[],
  path: string,
  report: Report,
): void {
  const seen = new Map<string, number>();
  for (const [i, { hostnames }] of hosts.entries()) {
    for (const name of hostnames) {
      const first = firstWith(seen, name, i);
      if (first !== undefined)
        report.problem(`${path}.hosts[${i}].hostnames`, `${name} is in ${path}.hosts[${first}] already`);
    }
  }
}

type ListenerTls = NonNullable<Draft["server"]>["listeners"][number]["tls"];

function hasOwn(tls: ListenerTls): boolean {
  return tls?.cert_path !== undefined || (tls?.certificates?.length ?? 0) > 0;
}

/** True if listeners with TLS have a certificate, or if that is unknown because the section has problems. */
function hasAny(tls: Draft["tls"]): boolean {
  return tls === undefined || tls.cert_path !== "" || tls.certificates.length > 0 || tls.acme !== undefined;
}

/** Checks UDP endpoints, and reports settings that have no effect on them. */
function quicEndpoints({ server, tls, quic }: Draft, report: Report): void {
  if (quic === undefined) return;
  if (quic.enabled && quic.cert_path === "" && quic.key_path === "") {
    report.problem("quic.enabled", "requires quic.cert_path and quic.key_path");
  }
  const hasCertificate = quic.cert_path !== "" || hasAny(tls);
  let isServed = quic.enabled;
  for (const [i, listener] of (server?.listeners ?? []).entries()) {
    if (!listener.quic_enabled) continue;
    isServed = true;
    const path = `server.listeners[${i}].quic_enabled`;
    if (hasOwn(server?.listeners[i]?.tls)) continue;
    if (!hasCertificate)
      report.problem(path, "requires tls.cert_path and tls.key_path, or quic.cert_path and quic.key_path");
  }
  if (!isServed) return;
  if (quic.max_idle_timeout_ms === 0) {
    report.problem(
      "quic.max_idle_timeout_ms",
      `expected 1 or more with ${quic.enabled ? "quic.enabled" : "quic_enabled"}, found 0`,
    );
  }
  if (quic.max_streams_bidi === 0)
    report.warning("quic.max_streams_bidi", "with 0, HTTP/3 clients cannot send requests");
  // RFC 9114 §6.2: the control stream, and the streams of the QPACK encoder and decoder.
  if (quic.max_streams_uni < 3)
    report.warning("quic.max_streams_uni", "HTTP/3 clients need 3 streams of their own, and may not work with fewer");
  if (quic.enabled && quic.port === 0 && server?.workers !== 1) {
    report.problem("quic.port", "expected a port number with more than one worker, found 0");
  }
  if (tls !== undefined && tls.client_ca_path !== "" && !tls.client_cert_required) {
    report.warning("tls.client_cert_required", "HTTP/3 cannot request an optional client certificate");
  }
  if (tls !== undefined && tls.hosts.length > 0) {
    report.warning("tls.hosts", "HTTP/3 responds with 421 for these hosts; their clients use HTTP/1.1 or HTTP/2");
  }
}

/** Reports hostnames of certificates that are never used, and `http2.h2c_only` if it has no effect. */
function withoutEffect({ server, tls, http2 }: Draft, report: Report): void {
  const named = new Map<string, number>();
  for (const [i, { hostnames }] of (tls?.certificates ?? []).entries()) {
    for (const hostname of hostnames) {
      const first = firstWith(named, hostname, i);
      if (first !== undefined)
        report.warning(`tls.certificates[${i}].hostnames`, `${hostname} is served by tls.certificates[${first}]`);
    }
  }
  if (http2?.h2c_only !== true || server === undefined || tls === undefined) return;
  if (server.listeners.length > 0) {
    report.warning("http2.h2c_only", "has no effect, because server.listeners replaces the single listener");
  } else if (tls.cert_path !== "" || tls.acme !== undefined) {
    report.warning("http2.h2c_only", "has no effect, because the single listener has TLS");
  }
}

function listeners({ server }: Draft, report: Report): void {
  const taken = new Map<string, number>();
  for (const [i, { address, port }] of (server?.listeners ?? []).entries()) {
    const key = `${address} ${port}`;
    const first = taken.get(key);
    if (port !== 0 && first !== undefined) {
      report.problem(`server.listeners[${i}].port`, `${port} is taken by server.listeners[${first}]`);
    }
    taken.set(key, i);
  }
}

/** Reports two different endpoints on one UDP port: each would receive a part of the other's packets. */
function quicPorts({ server, quic }: Draft, report: Report): void {
  if (server === undefined) return;
  for (const [i, { quic_enabled: isEnabled, quic_port: own }] of server.listeners.entries()) {
    if (!isEnabled && own !== 0)
      report.warning(`server.listeners[${i}].quic_port`, "has no effect, because quic_enabled is not set");
  }
  const taken: QuicEndpoint[] = [];
  for (const endpoint of quic === undefined ? [] : quicEndpointsOf({ server, quic })) {
    const { address, port, path } = endpoint;
    const first = taken.find((one) => one.port === port && overlap(one.address, address));
    if (port !== 0 && first !== undefined) {
      const why = first.address === address ? "with other certificates" : `on ${first.address}`;
      report.problem(path, `${port} is taken by ${first.path} ${why}`);
    } else taken.push(endpoint);
  }
}

/** Test mode moves no money, so any client that reaches the gateway would get all content free of charge. */
function testMode({ server, x402 }: Draft, report: Report): void {
  if (x402?.test_mode !== true || server === undefined) return;
  for (const { path, address } of boundAddresses(server)) {
    if (!isLoopback(address)) {
      report.problem(
        `${path}.address`,
        `expected a loopback address with x402.test_mode, found ${JSON.stringify(address)}`,
      );
    }
  }
}

/** Checks `postgres`. Two gateways that should share a ledger, but do not, would each accept the same payment. */
function postgres({ postgres: section, routes }: Draft, report: Report): void {
  const { url = "" } = section ?? {};
  if (url === "") return;
  const { target, error, unknownMode = false, hasPassword } = readTarget(url);
  if (hasPassword) {
    report.warning(
      "postgres.url",
      "the password in it is ignored; name its environment variable in postgres.password_env",
    );
  }
  if (error === undefined) {
    if (section?.ssl_root_cert !== "" && target?.sslMode !== "verify-full") {
      report.warning("postgres.ssl_root_cert", "has no effect, because only sslmode verify-full checks certificates");
    }
    return;
  }
  if (!unknownMode) {
    report.problem("postgres.url", `expected postgres://<user>@<host>:<port>/<db>?sslmode=<mode>: ${error}`);
  } else if (routes.some((route) => route?.x402 !== undefined)) {
    report.problem("postgres.url", `${error}; the database client is off, and routes with a price need it`);
  } else {
    report.warning("postgres.url", `${error}; the database client is off`);
  }
}

/** The content service reads pages of strangers, so its user of the database must have no rights on the payments. */
function jobs({ postgres: payments, content }: Draft, report: Report): void {
  const own = readTarget(content?.jobs.postgres.url ?? "").target;
  const other = readTarget(payments?.url ?? "").target;
  if (own === undefined || other === undefined) return;
  if (own.user === other.user && own.host === other.host && own.port === other.port && own.database === other.database)
    report.problem("content.jobs.postgres.url", "expected another user than that of postgres.url");
}

/** Checks rules that compare keys of several sections, apart from upstreams and routes. */
export function checkSections(draft: Draft, report: Report): void {
  numbers(draft, report);
  listeners(draft, report);
  certificates(draft, report);
  checkAcme(draft, report);
  withoutEffect(draft, report);
  quicEndpoints(draft, report);
  quicPorts(draft, report);
  checkAdmin(draft, report);
  testMode(draft, report);
  postgres(draft, report);
  jobs(draft, report);
}
