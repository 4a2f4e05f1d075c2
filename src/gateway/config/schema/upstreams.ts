import { array, literal, oneOf, strictObject, string, union } from "./recorded-schema.ts";
import { catalogDiscovery, dnsDiscovery } from "./discovery.ts";
import { healthCheck } from "./health-check.ts";
import {
  connectPort,
  count,
  environmentName,
  filePath,
  flag,
  hostAddress,
  milliseconds,
  ours,
  section,
  socketPath,
  text,
} from "./kinds.ts";

/** All load balancers. An unknown name is replaced with the first one. */
export const LOAD_BALANCERS = ["round_robin", "least_conn", "ip_hash", "random", "weighted_round_robin"] as const;

const UPSTREAM_PROTOCOLS = ["http1", "h2", "h2c", "auto"] as const;

/** Names in `tls_subject_alt_names` of one upstream; the configuration is refused with more. @operator */
const MAX_NAMES = 64;
/** Characters of such a name, which may be a URI; a longer one is refused. */
const MAX_NAME = 2048;

const upstreamServer = strictObject({
  address: hostAddress.exactOptional().describe("Host or IP address."),
  port: connectPort.exactOptional().describe("Port; required unless `unix` is set."),
  unix: socketPath()
    .regex(/^\//, "expected an absolute path")
    .exactOptional()
    .describe("Absolute path of a UNIX stream socket, at most 103 bytes, in place of `address` and `port`."),
  weight: count(1, 1, 65_535).describe("Weight for load balancing."),
  max_fails: count(3, 1, 1_000_000).describe("Consecutive failures that take the server out of rotation."),
  fail_timeout_ms: milliseconds(30_000).describe("Time out of rotation."),
  backup: flag().describe("Used only when no primary server is available."),
}).describe("A backend: TCP (`address` and `port`) or a UNIX socket (`unix`).");

const connectionPool = section({
  max_connections: count(64, 1, 65_535).describe("Maximum connections."),
  max_idle: count(16, 0, 65_535).describe("Maximum idle connections."),
  idle_timeout_ms: milliseconds(60_000).describe("Time after which an idle connection is closed."),
  connect_timeout_ms: milliseconds(5000).describe("Time to connect."),
  client_share: count(80, 1, 100).meta(
    ours(
      "Maximum percentage that one client address (IPv6: /64) may use of the connections that others leave free; one HTTP/2 or HTTP/3 connection at most half of them. 100: no limit.",
    ),
  ),
}).describe("Connection pool, for each worker and server.");

export const upstream = strictObject({
  name: text.describe("Name for references in routes."),
  servers: array(upstreamServer).describe("Servers. Without discovery, an empty list means 503."),
  deleted: flag().meta(
    ours("Deleted by the admin interface while routes name it: they respond 503 until it is added again."),
  ),
  load_balancer: oneOf(LOAD_BALANCERS)
    .default("round_robin")
    .describe("Algorithm. An unknown value means `round_robin`."),
  slow_start_ms: count(0, 0, 3_600_000).meta(
    ours("Time in which the weight of a new or repaired server grows to its full value. Not with `round_robin`."),
  ),
  health_check: healthCheck.exactOptional(),
  connection_pool: connectionPool,
  dns_discovery: dnsDiscovery.exactOptional(),
  catalog_discovery: catalogDiscovery.exactOptional(),
  allow_private: flag(true).describe("Allow backends on private and loopback addresses, and on this machine's own."),
  protocol: oneOf(UPSTREAM_PROTOCOLS)
    .default("http1")
    .meta(ours("`h2`: HTTP/2 over TLS. `h2c`: HTTP/2 without TLS. `auto`: negotiated by ALPN. gRPC needs HTTP/2.")),
  tls: flag().describe("Connect over TLS. Not for `unix` servers."),
  tls_verify: flag(true).describe("Verify certificate and host name. False: any certificate is accepted."),
  tls_ca_path: filePath
    .default("")
    .meta(ours("PEM bundle of the CAs of the servers' certificates. Empty: the system's CAs.")),
  tls_cert_path: filePath
    .default("")
    .meta(ours("PEM client certificate chain for the servers. Set both this and `tls_key_path`, or neither.")),
  tls_key_path: filePath.default("").meta(ours("PEM private key of `tls_cert_path`.")),
  token_env: union([environmentName, literal("")])
    .default("")
    .meta(
      ours(
        "Environment variable with a token that requests carry as `Authorization: Bearer`, in place of the client's field.",
      ),
    ),
  tls_sni: string().default("").describe("Name for SNI and verification. Empty: each server's address."),
  tls_subject_alt_names: array(text.max(MAX_NAME, `expected at most ${MAX_NAME} characters`))
    .max(MAX_NAMES, `expected at most ${MAX_NAMES} names`)
    .default([])
    .meta(
      ours(
        "Host names, IP addresses and URIs (`spiffe://…`), one of which a server's certificate must have as a `subjectAltName`. Empty: it must be for `tls_sni`, or the server's address.",
      ),
    ),
}).describe("A named pool of backend servers.");

export const upstreams = array(upstream).default([]).describe("Pools of backend servers.");
