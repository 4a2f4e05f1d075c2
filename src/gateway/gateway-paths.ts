import { answer, type AnswerError, CannedError } from "./answer.ts";
import { type Exchange } from "./exchange.ts";
import { type Catalogue } from "./policy/payment/challenge/catalogue.ts";

/** What the gateway tells of itself. */
export interface GatewayState {
  /** True while it serves: everything that it listens by is up, and it is not about to stop. */
  ready(): boolean;
  /** Metrics as text, and the Content-Type of that. */
  metrics(): { readonly text: string; readonly contentType: string };
  /** The answer to an HTTP-01 challenge of `tls.acme`; undefined: there is no such challenge. */
  challenge(token: string): string | undefined;
}

const ONLY_READ = new CannedError("method-not-allowed", "only GET and HEAD");
const PROOF_FIELDS = `Content-Type: application/octet-stream\r\nCache-Control: no-store\r\n`;
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

/** RFC 8555 §8.3. */
const CHALLENGES = "/.well-known/acme-challenge/";

/**
 * Answers liveness, readiness, metrics, challenges and what is for sale, on every protocol and before any route; false where the path is
 * none of them. A gateway that sells nothing leaves the last to its routes, and so do challenges that it knows nothing of.
 */
export function serveGatewayPath(exchange: Exchange, { state, catalogue, answerError }: GatewayPaths): boolean {
  const { path, method } = exchange.head;
  const listed = path === "/.well-known/x402" ? catalogue : undefined;
  const proof = path.startsWith(CHALLENGES) ? state.challenge(path.slice(CHALLENGES.length)) : undefined;
  const isOwn = path === "/.healthz" || path === "/.ready" || path === "/metrics";
  if (!isOwn && listed === undefined && proof === undefined) return false;
  if (method !== "GET" && method !== "HEAD") {
    answerError(exchange, ONLY_READ, "Allow: GET, HEAD\r\n");
    return true;
  }
  if (proof !== undefined) answer(exchange, 200, PROOF_FIELDS, Buffer.from(proof));
  else if (listed !== undefined) answer(exchange, 200, CATALOGUE_FIELDS, listed.bytesFor(exchange.head));
  else if (path === "/metrics") {
    const { text, contentType } = state.metrics();
    answer(exchange, 200, `Content-Type: ${contentType}\r\n${NO_STORE}`, Buffer.from(text));
  } else answer(exchange, path === "/.healthz" || state.ready() ? 200 : 503, NO_STORE, EMPTY);
  return true;
}
