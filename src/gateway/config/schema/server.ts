import * as z from "zod";
import { cidr, count, hostAddress, listenPort, ours, text } from "./kinds.ts";

const listener = z
  .strictObject({
    address: hostAddress.default("0.0.0.0").describe("Bind address."),
    port: listenPort.describe("Bind port; 0 takes a free one."),
    use_tls: z.boolean().default(false).describe("Terminate TLS on this port."),
    h2c_only: z
      .boolean()
      .default(false)
      .describe("Require the HTTP/2 prior-knowledge preface; refuse connections that are not HTTP/2."),
    quic_enabled: z.boolean().default(false).describe("Serve an HTTP/3 endpoint for this listener."),
    quic_port: listenPort.default(0).describe("UDP port of the QUIC endpoint; 0 takes the number of the TCP port."),
    proxy_protocol: z
      .boolean()
      .default(false)
      .meta(
        ours(
          "Require the PROXY protocol (version 1 or 2) before anything else, TLS included, and take the client's address from it.",
        ),
      ),
  })
  .describe("One TCP port, bound on every worker.");

/** `server`: where and how the gateway listens. */
export const server = z
  .strictObject({
    address: hostAddress.default("0.0.0.0").describe("Bind address of the single listener; unused with `listeners`."),
    port: listenPort.default(8080).describe("Bind port of the single listener; 0 takes a free one."),
    workers: count(0, 0, 1024).describe(
      "Worker processes. 0 starts one per CPU (container quotas are not considered); 1 is a single process without fork.",
    ),
    max_connections: count(2048, 1, 1_000_000).describe(
      "Most client connections at a time, over all workers; at most half of `buffer_pool.buffer_count`.",
    ),
    max_connections_per_address: count(1024, 1, 1_000_000).meta(
      ours(
        "Most client connections of one address at a time, over all workers and protocols; an IPv6 address stands for its /64. Connections of `trusted_proxies` do not count. Behind a listener with `proxy_protocol` the address is the one that the PROXY header tells.",
      ),
    ),
    static_root: z
      .string()
      .default("")
      .describe(
        "Directory of static files, served at paths that no route takes; empty serves none. A change of a file is seen within a second.",
      ),
    disable_middleware: z.boolean().default(false).describe("Turn off security headers, metrics and access logging."),
    cache_static_files: z
      .boolean()
      .default(false)
      .describe(
        "Keep static files and their precompressed siblings in memory, per worker, from the first time served: files up to 1 MiB, 64 MiB in all.",
      ),
    preencoded: z
      .boolean()
      .default(false)
      .describe(
        "Put answers to errors that always read alike (no route, host not allowed, wrong method, too busy) together from parts that were encoded in advance. The answers are the same.",
      ),
    allowed_hosts: z
      .array(
        text
          // What no Host field can hold would keep everybody out, and say nothing.
          .regex(/^(?:\*\.)?[\w.:~[\]-]+$/, 'expected a host name in ASCII, as in "example.com" or "*.example.com"')
          .toLowerCase(),
      )
      .default([])
      .describe(
        "If not empty, a request whose Host is not listed is answered 400. Capitals and the port do not matter; `*.example.com` takes all hosts below `example.com`.",
      ),
    listeners: z
      .array(listener)
      .default([])
      .describe("Listeners, one per port; empty means the single listener of `address` and `port`."),
    trusted_proxies: z
      .array(cidr)
      .default([])
      .meta(
        ours(
          "Addresses and networks whose `X-Forwarded-For` is believed: the client is its right-most entry that is not one of them.",
        ),
      ),
  })
  .prefault({})
  .describe("Where the gateway listens, and how much it takes.");
