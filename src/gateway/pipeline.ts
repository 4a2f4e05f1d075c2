import { TurnpikeError } from "../lib/errors.ts";
import { fieldValue, withoutFields } from "../lib/fields.ts";
import { answer, type AnswerError, answerError, CannedError } from "./answer.ts";
import { type Exchange, type AnsweredRequest } from "./exchange.ts";
import { type LogLine } from "./policy/access-log/access-log.ts";
import { type Policy } from "./policy/policy.ts";
import { forward } from "./proxy/forward.ts";
import { type ForwardTarget } from "./proxy/target.ts";
import { hostOf, type Routable, type RouteTable } from "./routing/table.ts";
import { type StaticFiles } from "./static/static-files.ts";

/** Where finished exchanges are written down, and how. */
export interface AccessLog {
  readonly line: LogLine;
  readonly write: (line: string) => void;
  /** Share of the requests that are logged, 0 to 1. */
  readonly share: number;
}

/** A route as requests need it; made from the configuration, never changed. */
export interface Route extends Routable {
  /** In the order in which they run: the list in docs/architecture.md. */
  readonly policies: readonly Policy[];
  readonly target: ForwardTarget;
  readonly accessLog: AccessLog | undefined;
}

/** All that a request is judged by. A reload makes another one; requests in flight keep theirs. */
export interface Pipeline {
  readonly routes: RouteTable<Route>;
  /** Lower case; undefined: every host. */
  readonly allowedHosts: ReadonlySet<string> | undefined;
  /** The log of what no route takes. */
  readonly accessLog: AccessLog | undefined;
  /** Undefined: the peer is the client. */
  readonly clientAddress: ((peer: string, forwardedFor: string) => string) | undefined;
  /** What no route takes; undefined: 404. */
  readonly staticFiles: StaticFiles | undefined;
  readonly answerError: AnswerError;
  readonly onFault: (error: unknown) => void;
}

const HOST_NOT_ALLOWED = new CannedError("host-not-allowed", "this server does not answer for that host");
const NO_ROUTE = new CannedError("not-found", "no route serves this path");
const ONLY_READ = new CannedError("method-not-allowed", "only GET and HEAD");

/**
 * The life of a request, top to bottom. The codec calls it with the head read and the body still to come.
 *
 *   client address → route → gateway paths → host allowed? → OPTIONS for us → the route's policies → forward, or static files → (the response passes the policies' sinks)
 */
export function serve(pipeline: Pipeline, exchange: Exchange): void {
  const { head } = exchange;
  exchange.addedFields = `X-Request-Id: ${exchange.id}\r\n`;
  if (pipeline.clientAddress !== undefined) {
    exchange.clientAddress = pipeline.clientAddress(exchange.peerAddress, head.forwardedFor);
  }
  const route = pipeline.routes.match(head.authority, head.path);
  observe(exchange, route === undefined ? pipeline.accessLog : route.accessLog);
  if (head.path.charCodeAt(1) === 0x2e && serveGatewayPath(pipeline, exchange)) return;
  if (pipeline.allowedHosts !== undefined && !pipeline.allowedHosts.has(hostOf(head.authority))) {
    pipeline.answerError(exchange, HOST_NOT_ALLOWED);
    return;
  }
  if (head.method === "OPTIONS" && serveOptions(exchange)) return;
  if (route === undefined) {
    if (pipeline.staticFiles === undefined) pipeline.answerError(exchange, NO_ROUTE);
    else pipeline.staticFiles.serve(exchange);
    return;
  }
  if (route.policies.length === 0) forward(exchange, route.target);
  else void servePoliced(pipeline, exchange, route);
}

/** Runs the route's policies in order, then the handler; the first that answers ends it. */
async function servePoliced(pipeline: Pipeline, exchange: Exchange, route: Route): Promise<void> {
  try {
    for (const policy of route.policies) {
      const decision = await policy.request(exchange);
      if (decision === "answered" || exchange.gone) return;
    }
    forward(exchange, route.target);
  } catch (error) {
    if (error instanceof TurnpikeError) answerError(exchange, error);
    else {
      pipeline.onFault(error);
      answerError(exchange, new TurnpikeError("internal", "the request could not be handled"));
    }
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

/** Liveness and readiness, which no route can take away. */
function serveGatewayPath(pipeline: Pipeline, exchange: Exchange): boolean {
  const { path, method } = exchange.head;
  if (path !== "/.healthz" && path !== "/.ready") return false;
  if (method === "GET" || method === "HEAD") answer(exchange, 200, "", new Uint8Array(0));
  else pipeline.answerError(exchange, ONLY_READ, "Allow: GET, HEAD\r\n");
  return true;
}

/** Writes down a request that the codec answered by itself. */
export function logRefused({ accessLog }: Pipeline, request: AnsweredRequest): void {
  if (accessLog === undefined || !isSampled(accessLog)) return;
  accessLog.write(accessLog.line(request, { at: Date.now(), elapsedMs: 0 }));
}

function isSampled(log: AccessLog): boolean {
  return log.share >= 1 || Math.random() < log.share;
}

/** Has the exchange written down when it ends. */
function observe(exchange: Exchange, log: AccessLog | undefined): void {
  if (log === undefined || !isSampled(log)) return;
  const began = performance.now();
  exchange.onFinish = (finished) => {
    log.write(log.line(finished, { at: Date.now(), elapsedMs: performance.now() - began }));
  };
}
