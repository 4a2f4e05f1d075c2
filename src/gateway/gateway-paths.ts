import { answer, type AnswerError, CannedError } from "./answer.ts";
import { type Exchange } from "./exchange.ts";
import { type Catalogue } from "./policy/payment/challenge/catalogue.ts";

/** What the gateway tells of itself. */
export interface GatewayState {
  /** True while it serves: everything that it listens by is up, and it is not about to stop. */
  ready(): boolean;
  /** Metrics as text, and the Content-Type of that. */
  metrics(): { readonly text: string; readonly contentType: string };
}

const ONLY_READ = new CannedError("method-not-allowed", "only GET and HEAD");
const EMPTY = new Uint8Array(0);
const NO_STORE = "Cache-Control: no-store\r\n";

/** What the gateway's own paths are answered from. */
export interface GatewayPaths {
  readonly state: GatewayState;
  /** What is for sale; undefined where nothing is. */
  readonly catalogue: Catalogue | undefined;
  readonly answerError: AnswerError;
}

/** Catalogues and pages of other sites read it; prices change with the configuration. */
const CATALOGUE_FIELDS =
  "Content-Type: application/json\r\nCache-Control: public, max-age=60\r\nAccess-Control-Allow-Origin: *\r\n";

/**
 * Answers liveness, readiness, metrics and what is for sale, on every protocol and before any route; false where the path is none of
 * them. A gateway that sells nothing leaves the last to its routes.
 */
export function serveGatewayPath(exchange: Exchange, { state, catalogue, answerError }: GatewayPaths): boolean {
  const { path, method } = exchange.head;
  const listed = path === "/.well-known/x402" ? catalogue : undefined;
  if (path !== "/.healthz" && path !== "/.ready" && path !== "/metrics" && listed === undefined) return false;
  if (method !== "GET" && method !== "HEAD") {
    answerError(exchange, ONLY_READ, "Allow: GET, HEAD\r\n");
    return true;
  }
  if (listed !== undefined) answer(exchange, 200, CATALOGUE_FIELDS, listed.bytesFor(exchange.head));
  else if (path === "/metrics") {
    const { text, contentType } = state.metrics();
    answer(exchange, 200, `Content-Type: ${contentType}\r\n${NO_STORE}`, Buffer.from(text));
  } else answer(exchange, path === "/.healthz" || state.ready() ? 200 : 503, NO_STORE, EMPTY);
  return true;
}
