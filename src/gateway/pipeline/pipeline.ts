import { type BufferPool } from "../../lib/memory/buffer-pool.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { respond, respondWithError, CannedError } from "../exchange/local-response.ts";
import { type Exchange, type RequestHead } from "../exchange/exchange.ts";
import { appendFields, headValue, removeFields } from "../exchange/head-fields.ts";
import { type GatewayPaths, serveGatewayPath } from "./gateway-paths.ts";
import { type Observer } from "./observer.ts";
import { type Decision, MAX_PAUSE_MS, type Policy } from "../policy/policy.ts";
import { forward } from "../proxy/forward.ts";
import { GrpcResponse } from "../proxy/grpc.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { type HostCheck } from "../../lib/http/allowed-hosts.ts";
import { type Routable } from "../routing/routable.ts";
import { type RouteTable } from "../routing/table.ts";
import { type StaticFiles } from "../static/static-files.ts";

/** Responds to the requests that passed the policies of a route. */
export interface RequestHandler {
  serve(exchange: Exchange): void;
}

/** A compiled route. It is made from the configuration and never changes. */
export interface Route extends Routable {
  /** In the order in which they run, which docs/policies.md lists. */
  readonly policies: readonly Policy[];
  readonly target: ForwardTarget;
  /** A cache, a redirect or a fixed response; undefined: every request goes to the upstream. */
  readonly handler: RequestHandler | undefined;
  readonly observer: Observer;
}

/** Everything that decides how a request is handled. A reload makes a new one; requests in flight keep the old one. */
export interface Pipeline extends GatewayPaths {
  readonly routes: RouteTable<Route>;
  /** True if at least one route has its own limit for request bodies. */
  readonly limitsBodies: boolean;
  /** Undefined: every host is allowed. */
  readonly isAllowedHost: HostCheck | undefined;
  readonly observer: Observer;
  /** If these buffers are used up, the gateway accepts no more requests. */
  readonly buffers: BufferPool;
  /** Undefined: the peer is the client. */
  readonly clientAddress: ((peer: string, forwardedFor: string) => string) | undefined;
  /** The policies before static files and the 404, in the same order as those of a route. */
  readonly unrouted: readonly Policy[];
  /** The files for requests without a route; undefined: 404. */
  readonly staticFiles: StaticFiles | undefined;
  readonly onError: (error: unknown) => void;
}

const HOST_NOT_ALLOWED = new CannedError("host-not-allowed", "this server does not serve that host");
const EVADES = new CannedError(
  "bad-path",
  "another spelling of this path has a route that asks for credentials or money",
);
const MISDIRECTED = new CannedError(
  "misdirected",
  "this connection is not for that host; connect again with its name (SNI), and its client certificate if it needs one",
);
const NO_ROUTE = new CannedError("not-found", "no route serves this path");
const CONNECTION_LIMIT = new CannedError(
  "overloaded",
  "this server, or this client address, has its maximum number of connections",
);
const NO_BUFFERS = new CannedError("overloaded", "this server has no memory left for another request");

/**
 * The life of a request, top to bottom. The codec calls it with the head read and the body still to come. On a reserved
 * connection, which is over the limits, only the paths of probes and metrics are served. The same holds for a misdirected
 * request, whose host is not one of its connection.
 *
 *   client address → route → gateway paths → host allowed? → another reading of a guarded path? → OPTIONS for us → memory?
 *     │ a route:                           the route's policies → cache → forward; the response passes the policies' sinks
 *     │ no route:                          the global policies → static files, 404
 *     └ a body announced as too long:      only the policies that edit responses → 413
 */
export function serve(pipeline: Pipeline, exchange: Exchange, on: "any" | "reserved" | "misdirected" = "any"): void {
  const { head } = exchange;
  if (exchange.addIdField === undefined) exchange.addedFields += `X-Request-Id: ${exchange.id}\r\n`;
  else exchange.sendsRequestId = true;
  if (pipeline.clientAddress !== undefined) {
    exchange.clientAddress = pipeline.clientAddress(exchange.peerAddress, head.forwardedFor);
  }
  const route = pipeline.routes.match(head.authority, head.path, head);
  const { observer } = route ?? pipeline;
  observer.begin(exchange);
  if (head.isGrpc) GrpcResponse.install(exchange, observer);
  const second = head.path.charCodeAt(1);
  // A dot, an m or an l: the second character of every gateway path.
  const mayBeOurs = second === 0x2e || second === 0x6d || second === 0x6c;
  if (on !== "any") {
    if (!mayBeOurs || !serveGatewayPath(exchange, { ...pipeline, catalogue: undefined, blockhashes: undefined }))
      pipeline.respondWithError(exchange, on === "reserved" ? CONNECTION_LIMIT : MISDIRECTED);
    return;
  }
  if (mayBeOurs && serveGatewayPath(exchange, pipeline)) return;
  if (pipeline.isAllowedHost?.(head.authority) === false) {
    pipeline.respondWithError(exchange, HOST_NOT_ALLOWED);
    return;
  }
  if (pipeline.routes.evades(head.authority, head.path, route)) {
    pipeline.respondWithError(exchange, EVADES);
    return;
  }
  if (head.method === "OPTIONS" && serveOptions(exchange)) return;
  if (!pipeline.buffers.admits()) {
    pipeline.respondWithError(exchange, NO_BUFFERS);
    return;
  }
  exchange.isAuthorized = true;
  const chain = route === undefined ? pipeline.unrouted : route.policies;
  const refusal = head.bodyLength === 0 ? undefined : exchange.body.error;
  const policies = refusal === undefined ? chain : chain.filter((policy) => policy.runsOnLocalReply === true);
  if (policies.length === 0 && refusal === undefined) handle(pipeline, exchange, route);
  else runPolicies(pipeline, exchange, { route, policies, refusal, next: 0, skips: false });
}

/** The maximum number of bytes for the body of a request with this head; undefined: the server's setting. */
export function routeBodyLimit({ routes, limitsBodies }: Pipeline, head: RequestHead): number | undefined {
  return limitsBodies ? routes.match(head.authority, head.path, head)?.target.maxBodyBytes : undefined;
}

/** Sends the request to the route's upstream or cache. Without a route the response is a file or a 404. */
function handle(pipeline: Pipeline, exchange: Exchange, route: Route | undefined): void {
  if (route !== undefined) {
    if (route.handler === undefined) forward(exchange, route.target);
    else route.handler.serve(exchange);
  } else if (pipeline.staticFiles === undefined) pipeline.respondWithError(exchange, NO_ROUTE);
  else pipeline.staticFiles.serve(exchange);
}

/** The position of a request in its chain of policies. */
interface Progress {
  readonly route: Route | undefined;
  readonly policies: readonly Policy[];
  /** The error that is the response in any case: only the policies that edit local responses run. */
  readonly refusal: TurnpikeError | undefined;
  next: number;
  /** A policy has asked to skip the rest, except the guards. */
  skips: boolean;
}

/** Runs the policies in order, then the handler. The first policy that responds ends the chain. */
function runPolicies(pipeline: Pipeline, exchange: Exchange, progress: Progress): void {
  const { policies } = progress;
  try {
    while (progress.next < policies.length) {
      const policy = policies[progress.next++];
      if (policy === undefined || (progress.skips && policy.guards !== true)) continue;
      const decision = policy.request(exchange);
      if (decision === "continue") continue;
      if (decision instanceof Promise) {
        void goOnAfter(decision, pipeline, exchange, progress);
        return;
      }
      if (!goesOn(pipeline, exchange, progress, decision)) return;
    }
    if (progress.refusal === undefined) handle(pipeline, exchange, progress.route);
    else pipeline.respondWithError(exchange, progress.refusal);
  } catch (error) {
    fail(pipeline, exchange, error);
  }
}

async function goOnAfter(
  decision: Promise<Decision>,
  pipeline: Pipeline,
  exchange: Exchange,
  progress: Progress,
): Promise<void> {
  try {
    if (goesOn(pipeline, exchange, progress, await decision)) runPolicies(pipeline, exchange, progress);
  } catch (error) {
    fail(pipeline, exchange, error);
  }
}

/** False: the request is finished, or a policy continues it later. */
function goesOn(pipeline: Pipeline, exchange: Exchange, progress: Progress, decision: Decision): boolean {
  if (decision === "responded" || exchange.gone) return false;
  if (typeof decision === "object") {
    hold(exchange, decision.pauseMs, () => runPolicies(pipeline, exchange, progress));
    return false;
  }
  if (decision === "skip") progress.skips = true;
  return true;
}

/** Pauses the body for `ms` milliseconds, then continues. If the client leaves meanwhile, the timer is removed. */
function hold(exchange: Exchange, ms: number, goOn: () => void): void {
  const { onGone } = exchange;
  exchange.body.pause();
  const timer = setTimeout(
    () => {
      exchange.onGone = onGone;
      exchange.body.resume();
      goOn();
    },
    Math.min(ms, MAX_PAUSE_MS),
  );
  exchange.onGone = () => {
    clearTimeout(timer);
    onGone?.();
  };
}

function fail(pipeline: Pipeline, exchange: Exchange, error: unknown): void {
  if (error instanceof TurnpikeError) respondWithError(exchange, error);
  else {
    pipeline.onError(error);
    respondWithError(exchange, new TurnpikeError("internal", "the request could not be handled"));
  }
}

/** Responds to `OPTIONS *` (RFC 9110 §9.3.7), and to OPTIONS with a Max-Forwards of 0 (§7.6.2). */
function serveOptions(exchange: Exchange): boolean {
  const { head } = exchange;
  const hops = headValue(head, "max-forwards") ?? "";
  const isLimited = /^\d{1,15}$/.test(hops);
  if (head.path === "*" || (isLimited && Number(hops) === 0)) {
    respond(exchange, 204, "", new Uint8Array(0));
    return true;
  }
  if (isLimited) {
    removeFields(head, ["max-forwards"]);
    appendFields(head, `Max-Forwards: ${Number(hops) - 1}\r\n`);
  }
  return false;
}
