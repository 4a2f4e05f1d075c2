import { respond, type RespondWithError, CannedError } from "../exchange/local-response.ts";
import { BLOCKHASH_PATH, CHALLENGE_PREFIX, HEALTH_PATH, METRICS_PATH, READY_PATH } from "../config/own-paths.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { SECURITY_FIELDS, securityFields } from "../exchange/security-fields.ts";
import { flatText } from "../../lib/memory/flat-text.ts";
import { type Blockhashes } from "../../payments/solana-node/blockhashes.ts";
import { type Catalogue } from "../policy/payment/catalogue.ts";

/** The state that the gateway's own paths report. */
export interface GatewayState {
  /** True while the gateway serves: all its listeners are open, and it is not stopping. */
  ready(): boolean;
  metrics(): { readonly text: string; readonly contentType: string };
  /** The response to an HTTP-01 challenge of `tls.acme`; undefined if there is no such challenge. */
  challenge(token: string): string | undefined;
}

const ONLY_READ = new CannedError("method-not-allowed", "only GET and HEAD");
const NODE_AWAY = new CannedError("facilitator-unavailable", "the node of this network does not respond");
const NO_CLUSTER = new CannedError("not-found", "the query names no cluster of this gateway");
const PROOF_FIELDS = `Content-Type: application/octet-stream\r\nCache-Control: no-store\r\n`;
const EMPTY = new Uint8Array(0);
const NO_STORE = "Cache-Control: no-store\r\n";
/** Joined in advance: a probe costs 2 % more otherwise (bench proxy, own). */
const GUARDED_NO_STORE = flatText(NO_STORE + SECURITY_FIELDS);

export interface GatewayPaths {
  readonly state: GatewayState;
  /** The paid resources; undefined without paid routes. */
  readonly catalogue: Catalogue | undefined;
  /** Undefined without a cluster of Solana. */
  readonly blockhashes?: Blockhashes | undefined;
  readonly respondWithError: RespondWithError;
}

/** Pages of other sites may read the catalogue. It is cached for a short time, because prices change. */
const CATALOGUE_FIELDS = "Cache-Control: public, max-age=60\r\nAccess-Control-Allow-Origin: *\r\n";

/**
 * Serves liveness, readiness, metrics, ACME challenges, the catalogue and blockhashes, on every protocol and before any
 * route. Returns false for any other path. Without paid routes the catalogue's path is left to the routes, and so is an
 * unknown challenge.
 */
export function serveGatewayPath(exchange: Exchange, paths: GatewayPaths): boolean {
  const { state, catalogue, respondWithError } = paths;
  const { path, method } = exchange.head;
  const listed = catalogue?.documentAt(exchange.head);
  const proof = path.startsWith(CHALLENGE_PREFIX) ? state.challenge(path.slice(CHALLENGE_PREFIX.length)) : undefined;
  const blockhashes = path === BLOCKHASH_PATH ? paths.blockhashes : undefined;
  const isOwn = path === HEALTH_PATH || path === READY_PATH || path === METRICS_PATH || blockhashes !== undefined;
  if (!isOwn && listed === undefined && proof === undefined) return false;
  if (method !== "GET" && method !== "HEAD") {
    respondWithError(exchange, ONLY_READ, "Allow: GET, HEAD\r\n");
    return true;
  }
  if (blockhashes !== undefined) void serveBlockhash(exchange, blockhashes, respondWithError);
  else if (proof !== undefined) respond(exchange, 200, PROOF_FIELDS + securityFields(), Buffer.from(proof));
  else if (listed !== undefined) {
    const fields = `Content-Type: ${listed.type}\r\n${CATALOGUE_FIELDS}${securityFields()}`;
    respond(exchange, 200, fields, listed.bytes());
  } else if (path === METRICS_PATH) {
    const { text, contentType } = state.metrics();
    respond(exchange, 200, `Content-Type: ${contentType}\r\n${NO_STORE}${securityFields()}`, Buffer.from(text));
  } else {
    respond(
      exchange,
      path === HEALTH_PATH || state.ready() ? 200 : 503,
      securityFields() === "" ? NO_STORE : GUARDED_NO_STORE,
      EMPTY,
    );
  }
  return true;
}

async function serveBlockhash(
  exchange: Exchange,
  blockhashes: Blockhashes,
  respondWithError: RespondWithError,
): Promise<void> {
  const network = new URLSearchParams(exchange.head.query).get("network") ?? "";
  const blockhash = await blockhashes.of(network);
  if (blockhash !== undefined) {
    const fields = `Content-Type: application/json\r\n${NO_STORE}${securityFields()}`;
    respond(exchange, 200, fields, Buffer.from(JSON.stringify({ blockhash })));
  } else respondWithError(exchange, blockhashes.has(network) ? NODE_AWAY : NO_CLUSTER);
}
