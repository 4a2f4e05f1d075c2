import { array, strictObject, string } from "./recorded-schema.ts";
import { cidr, count, flag, hostAddress, hostName, listenPort, names, ours, section } from "./kinds.ts";
import { listenerTls } from "./tls.ts";

/** Listeners of one gateway. @operator A configuration with more is refused: each pair of them is compared. */
const MAX_LISTENERS = 1024;

const listener = strictObject({
  address: hostAddress.default("0.0.0.0").describe("Bind address."),
  port: listenPort.describe("Bind port. 0 selects a free port."),
  use_tls: flag().describe("Terminate TLS on this port."),
  tls: listenerTls,
  h2c_only: flag().describe("Refuse connections without the HTTP/2 prior-knowledge preface."),
  quic_enabled: flag().describe("Serve an HTTP/3 endpoint for this listener."),
  quic_port: listenPort.default(0).describe("UDP port of the QUIC endpoint. 0: the number of the TCP port."),
  proxy_protocol: flag().meta(ours("Require the PROXY protocol (version 1 or 2) before TLS.")),
}).describe("One TCP port, bound by every worker.");

export const server = section({
  address: hostAddress.default("0.0.0.0").describe("Bind address, unless `listeners` is set."),
  port: listenPort.default(8080).describe("Bind port, unless `listeners` is set. 0 selects a free port."),
  workers: count(0, 0, 1024).describe("Worker processes. 0: one per CPU. 1: no fork; `turnpike start` always uses 1."),
  max_connections: count(2048, 1, 1_000_000).describe(
    "Maximum client connections, at most half of `buffer_pool.buffer_count`. Further ones get 503.",
  ),
  max_connections_per_address: count(1024, 1, 1_000_000).meta(
    ours("The same for one address (IPv6: its /64), except for `trusted_proxies`."),
  ),
  defer_accept: flag().meta(
    ours("Accept a connection when its first bytes arrive, or after 1 s (`TCP_DEFER_ACCEPT`)."),
  ),
  static_root: string()
    .meta(names("folder"))
    .default("")
    .describe("Directory of static files, served at paths without a route. Changes are served within a second."),
  disable_middleware: flag().describe("Turn off security headers, metrics and access logging."),
  cache_static_files: flag().describe("Cache static files in memory: up to 1 MiB each, and 64 MiB in each worker."),
  preencoded: flag().describe("Encode frequent error responses in advance."),
  allowed_hosts: array(hostName)
    .default([])
    .describe("A request with another Host gets 400. `*.example.com` matches all subdomains. Empty: any Host."),
  listeners: array(listener).max(MAX_LISTENERS).default([]).describe("Listeners, in place of `address` and `port`."),
  trusted_proxies: array(cidr)
    .default([])
    .meta(
      ours(
        "Addresses and networks of proxies whose `X-Forwarded-For` is trusted. The client is its last entry that is not in this list.",
      ),
    ),
}).describe("Listeners, workers, connection limits and static files.");
