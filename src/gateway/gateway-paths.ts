import { answer, type AnswerError, CannedError } from "./answer.ts";
import { type Exchange } from "./exchange.ts";

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

/** Answers liveness, readiness and metrics, on every protocol and before any route; false where the path is none of them. */
export function serveGatewayPath(exchange: Exchange, state: GatewayState, answerError: AnswerError): boolean {
  const { path, method } = exchange.head;
  if (path !== "/.healthz" && path !== "/.ready" && path !== "/metrics") return false;
  if (method !== "GET" && method !== "HEAD") {
    answerError(exchange, ONLY_READ, "Allow: GET, HEAD\r\n");
    return true;
  }
  if (path === "/metrics") {
    const { text, contentType } = state.metrics();
    answer(exchange, 200, `Content-Type: ${contentType}\r\n${NO_STORE}`, Buffer.from(text));
  } else answer(exchange, path === "/.healthz" || state.ready() ? 200 : 503, NO_STORE, EMPTY);
  return true;
}
