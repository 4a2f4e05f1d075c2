/** The common parts of cases: the origin, and the features of the proxies. */
import { type Children } from "../support/children.ts";
import {
  askedOf,
  type Origin,
  type Pair,
  startCacheOrigin,
  startGrpcOrigin,
  startOrigin,
  startWebSocketOrigin,
} from "./origin.ts";
import { type Shape } from "./proxy.ts";

export type SetupName = "plain" | "h2-to-h1" | "tls-upstream" | "cache" | "websocket" | "grpc";

export interface Setup {
  readonly shape: Shape;
  start(children: Children, pair: Pair): Promise<Origin>;
  /** Requests at the origin for resources that the proxies should have served from their caches. */
  asked?(origin: Origin): Promise<number>;
}

export const SETUPS: Readonly<Record<SetupName, Setup>> = {
  plain: { shape: { client: "http1", upstream: "http1" }, start: (children) => startOrigin(children) },
  "h2-to-h1": { shape: { client: "h2", upstream: "http1" }, start: (children) => startOrigin(children) },
  "tls-upstream": { shape: { client: "http1", upstream: "tls" }, start: startOrigin },
  cache: { shape: { client: "http1", upstream: "http1", caches: true }, start: startCacheOrigin, asked: askedOf },
  websocket: { shape: { client: "http1", upstream: "http1", websocket: true }, start: startWebSocketOrigin },
  grpc: { shape: { client: "h2c", upstream: "h2c" }, start: startGrpcOrigin },
};
