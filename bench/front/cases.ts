/** One load on the front door: resource, protocol and client. */
export interface FrontCase {
  readonly name: string;
  readonly about: string;
  readonly client: "wrk" | "wrk, a connection a request" | "h2load" | "gtlsclient";
  readonly scheme: "http" | "https";
  readonly path: string;
  readonly connections: number;
  /** Concurrent requests on each connection. */
  readonly streams: number;
}

/** A local response of each server, without a body. */
export const LOCAL_RESPONSE = "/.healthz";

/** Sizes of the served files in bytes, by path. */
export const FILES: Readonly<Record<string, number>> = {
  "/1k.txt": 1024,
  "/100k.txt": 100 * 1024,
  "/10m.txt": 10 * 1024 * 1024,
};

const WRK = { client: "wrk", scheme: "http", path: LOCAL_RESPONSE, connections: 64, streams: 1 } as const;
/** The load of each worker in the comparison of one worker with two. */
export const WORKER_LOAD = { ...WRK, connections: 256 };

const NEW = { ...WRK, client: "wrk, a connection a request" } as const;
const H3 = { ...WRK, client: "gtlsclient", scheme: "https" } as const;
const H2 = { ...WRK, client: "h2load", scheme: "https" } as const;

export const FRONT_CASES: readonly FrontCase[] = [
  { ...WRK, name: "h1", about: "HTTP/1.1, a response of the server's own, 64 connections" },
  { ...WRK, name: "h1-tls", about: "the same over TLS, keep-alive", scheme: "https" },
  { ...NEW, name: "connects", about: "a new connection for each request, 64 at a time" },
  { ...NEW, name: "connects-tls", about: "the same over TLS: a full handshake each", scheme: "https" },
  { ...H2, name: "h2-16x16", about: "HTTP/2 over TLS, 16 connections of 16 streams", connections: 16, streams: 16 },
  { ...H2, name: "h2-1x100", about: "HTTP/2 over TLS, 1 connection of 100 streams", connections: 1, streams: 100 },
  { ...H3, name: "h3", about: "HTTP/3, 1 connection of 100 streams", connections: 1, streams: 100 },
  { ...WRK, name: "static-1k", about: "a file of 1 KiB, 64 connections", path: "/1k.txt" },
  { ...WRK, name: "static-100k", about: "a file of 100 KiB, 64 connections", path: "/100k.txt" },
  { ...WRK, name: "static-10m", about: "a file of 10 MB, 16 connections", path: "/10m.txt", connections: 16 },
];
