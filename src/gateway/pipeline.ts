import { type BufferPool } from "../lib/buffer-pool.ts";
import { TurnpikeError } from "../lib/errors.ts";
import { fieldValue, withoutFields } from "../lib/fields.ts";
import { answer, answerError, CannedError } from "./answer.ts";
import { type Exchange, type RequestHead } from "./exchange.ts";
import { type GatewayPaths, serveGatewayPath } from "./gateway-paths.ts";
import { type Observer } from "./observer.ts";
import { type Decision, MAX_PAUSE_MS, type Policy } from "./policy/policy.ts";
import { forward } from "./proxy/forward.ts";
import { GrpcResponse } from "./proxy/grpc.ts";
import { type ForwardTarget } from "./proxy/target.ts";
import { type HostCheck } from "./routing/allowed-hosts.ts";
import { type Routable } from "./routing/routable.ts";
import { type RouteTable } from "./routing/table.ts";
import { type StaticFiles } from "./static/static-files.ts";

/** Responds to the requests of a route that its policies let through. */
export interface RequestHandler {
  serve(exchange: Exchange): void;
}

/** A route as requests need it; made from the configuration, never changed. */
export interface Route extends Routable {
  /** In the order in which they run: the list in docs/policies.md. */
  readonly policies: readonly Policy[];
  readonly target: ForwardTarget;
  /** A cache, a redirect or a fixed response; undefined: every request goes to the upstream. */
  readonly handler: RequestHandler | undefined;
  readonly observer: Observer;
}

/** All that a request is judged by. A reload makes another one; requests in flight keep theirs. */
export interface Pipeline extends GatewayPaths {
  readonly routes: RouteTable<Route>;
  /** A route has a limit of its own for request bodies. */
  readonly limitsBodies: boolean;
  /** Undefined: every host. */
  readonly isAllowedHost: HostCheck | undefined;
  /** Sees what no route takes. */
  readonly observer: Observer;
  /** Where they are used up, no request is taken on. */
  readonly buffers: BufferPool;
  /** Undefined: the peer is the client. */
  readonly clientAddress: ((peer: string, forwardedFor: string) => string) | undefined;
  /** What runs before static files and 404, in the same order as a route's. */
  readonly unrouted: readonly Policy[];
  /** What no route takes; undefined: 404. */
  readonly staticFiles: StaticFiles | undefined;
  readonly onFault: (error: unknown) => void;
}

const HOST_NOT_ALLOWED = new CannedError("host-not-allowed", "this server does not answer for that host");
const EVADES = new CannedError(
  "bad-path",
  "another spelling of this path has a route that asks for credentials or money",
);
const NO_ROUTE = new CannedError("not-found", "no route serves this path");
const NO_PLACE = new CannedError("overloaded", "this server, or this address, has as many connections as it may");
const NO_BUFFERS = new CannedError("overloaded", "this server has no memory left for another request");

/**
 * The life of a request, top to bottom. The codec calls it with the head read and the body still to come. On a reserved
 * connection, which is over the limits, the paths of probes and metrics alone are served.
 *
 *   client address → route → gateway paths → host allowed? → no guarded route passed by? → OPTIONS for us → room for it? → the route's policies, filters among the last → cache → forward → (the response passes the policies' sinks)
 *                                                                                   no route: → the policies of all → static files, 404
 *                                      a body that is announced too long: → those policies alone that edit answers → 413
 */
export function serve(pipeline: Pipeline, exchange: Exchange, on: "any" | "reserved" = "any"): void {
  const { head } = exchange;
  if (exchange.writeIdField === undefined) exchange.addedFields += `X-Request-Id: ${exchange.id}\r\n`;
  else exchange.tellsId = true;
  if (pipeline.clientAddress !== undefined) {
    exchange.clientAddress = pipeline.clientAddress(exchange.peerAddress, head.forwardedFor);
  }
  const route = pipeline.routes.match(head.authority, head.path, head);
  const { observer } = route ?? pipeline;
  observer.begin(exchange);
  if (head.isGrpc) GrpcResponse.answer(exchange, observer);
  const second = head.path.charCodeAt(1);
  // A dot or an m: those of all gateway paths.
  const mayBeOurs = second === 0x2e || second === 0x6d;
  if (on === "reserved") {
    if (!mayBeOurs || !serveGatewayPath(exchange, { ...pipeline, catalogue: undefined }))
      pipeline.answerError(exchange, NO_PLACE);
    return;
  }
  if (mayBeOurs && serveGatewayPath(exchange, pipeline)) return;
  if (pipeline.isAllowedHost?.(head.authority) === false) {
    pipeline.answerError(exchange, HOST_NOT_ALLOWED);
    return;
  }
  if (pipeline.routes.evades(head.authority, head.path, route)) {
    pipeline.answerError(exchange, EVADES);
    return;
  }
  if (head.method === "OPTIONS" && serveOptions(exchange)) return;
  if (!pipeline.buffers.admits()) {
    pipeline.answerError(exchange, NO_BUFFERS);
    return;
  }
  exchange.isLetIn = true;
  const policies = route === undefined ? pipeline.unrouted : route.policies;
  const refusal = head.bodyLength === 0 ? undefined : exchange.body.fault;
  if (policies.length === 0 && refusal === undefined) handle(pipeline, exchange, route);
  else runPolicies(pipeline, exchange, { route, policies, refusal, next: 0, skips: false });
}

/** Most bytes of the body of a request with this head; undefined: what the settings say. */
export function routeBodyLimit({ routes, limitsBodies }: Pipeline, head: RequestHead): number | undefined {
  return limitsBodies ? routes.match(head.authority, head.path, head)?.target.maxBodyBytes : undefined;
}

/** To the route's upstream, unless its cache has the answer; a file, or 404, where there is no route. */
function handle(pipeline: Pipeline, exchange: Exchange, route: Route | undefined): void {
  if (route !== undefined) {
    if (route.handler === undefined) forward(exchange, route.target);
    else route.handler.serve(exchange);
  } else if (pipeline.staticFiles === undefined) pipeline.answerError(exchange, NO_ROUTE);
  else pipeline.staticFiles.serve(exchange);
}

/** How far a request is in its chain. */
interface Progress {
  readonly route: Route | undefined;
  readonly policies: readonly Policy[];
  /** What the request is answered in any case: nobody is asked, and those alone run that edit answers. */
  readonly refusal: TurnpikeError | undefined;
  next: number;
  /** One has asked to pass over the rest, but for what guards. */
  skips: boolean;
}

/** Runs the policies in order, then the handler; the first that answers ends it. */
function runPolicies(pipeline: Pipeline, exchange: Exchange, progress: Progress): void {
  const { policies } = progress;
  try {
    while (progress.next < policies.length) {
      const policy = policies[progress.next++];
      if (policy === undefined || isPassedOver(policy, progress)) continue;
      const decision = policy.request(exchange);
      if (decision === "continue") continue;
      if (decision instanceof Promise) {
        void goOnAfter(decision, pipeline, exchange, progress);
        return;
      }
      if (!goesOn(pipeline, exchange, progress, decision)) return;
    }
    if (progress.refusal === undefined) handle(pipeline, exchange, progress.route);
    else pipeline.answerError(exchange, progress.refusal);
  } catch (error) {
    fail(pipeline, exchange, error);
  }
}

function isPassedOver(policy: Policy, { refusal, skips }: Progress): boolean {
  return refusal === undefined ? skips && policy.guards !== true : policy.editsAnswers !== true;
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

/** False: the request is over, or will go on by itself. */
function goesOn(pipeline: Pipeline, exchange: Exchange, progress: Progress, decision: Decision): boolean {
  if (decision === "answered" || exchange.gone) return false;
  if (typeof decision === "object") {
    hold(exchange, decision.pauseMs, () => runPolicies(pipeline, exchange, progress));
    return false;
  }
  if (decision === "skip") progress.skips = true;
  return true;
}

/** Reads nothing of the body for so long, then goes on; a client that leaves meanwhile leaves nothing behind. */
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
  if (error instanceof TurnpikeError) answerError(exchange, error);
  else {
    pipeline.onFault(error);
    answerError(exchange, new TurnpikeError("internal", "the request could not be handled"));
  }
}

/** Answers what asks for this server alone: `OPTIONS *` (RFC 9110 §9.3.7), and OPTIONS that may go no further (§7.6.2). */
function serveOptions(exchange: Exchange): boolean {
  const { head } = exchange;
  const hops = fieldValue(head.fields, "max-forwards") ?? "";
  const isLimited = /^\d{1,15}$/.test(hops);
  if (head.path === "*" || (isLimited && Number(hops) === 0)) {
    answer(exchange, 204, "", new Uint8Array(0));
    return true;
  }
  if (isLimited) {
    head.fields = `${withoutFields(head.fields, ["max-forwards"])}Max-Forwards: ${Number(hops) - 1}\r\n`;
  }
  return false;
}
