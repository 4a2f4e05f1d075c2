/** Responds 200 while the process runs. */
export const HEALTH_PATH = "/.healthz";
/** Responds 200 while the gateway accepts requests, and 503 before and after. */
export const READY_PATH = "/.ready";
/** Metrics in the text format of Prometheus. */
export const METRICS_PATH = "/metrics";
/** The catalogue of paid routes. Routes get the path if nothing is for sale. */
export const CATALOGUE_PATH = "/.well-known/x402";
/** The same list as a manifest of x402, whose format is a draft. Routes get the path if `x402.discovery.manifest` is false. */
export const MANIFEST_PATH = "/.well-known/x402.json";
/** A text for language models. Routes get the path by `x402.discovery.llms_txt`. */
export const LLMS_PATH = "/llms.txt";
/** A blockhash for a browser that pays on Solana. Routes get the path if `x402.chains` names no cluster. */
export const BLOCKHASH_PATH = "/.turnpike/solana/blockhash";
/** HTTP-01 challenges (RFC 8555 §8.3). Routes get the paths of challenges that the gateway does not know. */
export const CHALLENGE_PREFIX = "/.well-known/acme-challenge/";

/** The paths that the gateway always serves itself, before it finds a route. */
export const OWN_PATHS: readonly string[] = [HEALTH_PATH, READY_PATH, METRICS_PATH];
/** The sale of prepaid credit. Routes get the path if no credit is sold. */
export const CREDIT_PATH = "/.turnpike/credit";
