import { FIELD_ROLES, HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { messageOf } from "../../lib/caught.ts";
import { isShared, readJwtKey } from "../../lib/http/jwt-key.ts";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { type RouteConfig } from "./config.ts";
import { firstWith, type Report } from "./draft.ts";

type Auth = RouteConfig["auth"];
type ApiKey = Extract<Auth, { type: "api_key" }>;
type Jwt = Extract<Auth, { type: "jwt" }>;
type ForwardAuth = Extract<Auth, { type: "forward_auth" }>;

/** Fields that frame a message, choose its destination or are set only by the gateway. */
const NOT_TO_BE_GIVEN = new Set([
  ...HOP_BY_HOP_FIELDS,
  ...FIELD_ROLES.trusted,
  "content-encoding",
  "content-type",
  "host",
]);
/** Bytes of an HMAC secret. With one token, a shorter secret can be guessed offline (RFC 7518 §3.2). */
const LEAST_SECRET_BYTES = 32;

/** Checks the `routes[].auth` at `path`. */
export function checkAuth(auth: Auth, path: string, report: Report): void {
  if (auth.type === "api_key") apiKeys(auth, path, report);
  else if (auth.type === "jwt") tokens(auth, path, report);
  else if (auth.type === "forward_auth") service(auth, path, report);
  else if (auth.type === "chain") {
    for (const [i, method] of auth.methods.entries()) {
      const at = `${path}.methods[${i}]`;
      checkAuth(method, at, report);
      const isOpen = method.type === "anonymous" || method.type === "none";
      if (isOpen && i + 1 < auth.methods.length) {
        report.warning(at, "accepts every request, so the methods after it are never used");
      }
    }
  }
}

function apiKeys({ keys, consumers }: ApiKey, path: string, report: Report): void {
  // Keys can be added later, through the admin interface.
  if (keys.length === 0) report.notice(`${path}.keys`, "there is no key, so this method accepts no request");
  else if (consumers.length > 0 && !keys.some(({ name }) => consumers.includes(name)))
    report.notice(`${path}.consumers`, "no key has one of these names, so this method accepts no request");
  const first = new Map<string, number>();
  const names = new Map<string, number>();
  for (const [i, { key, key_hash: hash, name }] of keys.entries()) {
    const at = `${path}.keys[${i}]`;
    if ((key === undefined) === (hash === undefined)) {
      report.problem(at, 'expected either "key" or "key_hash"');
      continue;
    }
    const id = hash === undefined ? Bun.SHA256.hash(Buffer.from(key ?? ""), "hex") : hash.toLowerCase();
    const same = firstWith(first, id, i);
    if (same !== undefined) report.problem(at, `is the same key as keys[${same}]`);
    const holder = firstWith(names, name, i);
    if (holder !== undefined)
      report.warning(`${at}.name`, `is also the name of keys[${holder}]: both count as one consumer`);
  }
}

function tokens(jwt: Jwt, path: string, report: Report): void {
  const { secret, jwks_url: url, algorithm } = jwt;
  if ((secret === undefined) === (url === undefined)) report.problem(path, 'expected either "secret" or "jwks_url"');
  else if (secret !== undefined) keyOf(algorithm, secret, `${path}.secret`, report);
  else if (url !== undefined) keySet(url, jwt, path, report);
  given(
    jwt.claims_to_headers.map(({ header }, i) => [header, `${path}.claims_to_headers[${i}].header`]),
    report,
  );
}

function keyOf(algorithm: Jwt["algorithm"], secret: string, path: string, report: Report): void {
  try {
    readJwtKey(algorithm, secret);
  } catch (error) {
    report.problem(path, messageOf(error));
    return;
  }
  if (isShared(algorithm) && Buffer.byteLength(secret) < LEAST_SECRET_BYTES) {
    report.warning(path, `is shorter than ${LEAST_SECRET_BYTES} bytes: an attacker with a token can guess it`);
  }
}

function keySet(url: string, { algorithm }: Jwt, path: string, report: Report): void {
  if (isShared(algorithm))
    report.problem(`${path}.jwks_url`, `${algorithm} uses a shared secret, which jwks_url cannot publish`);
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !isLoopback(hostname)) {
    report.problem(
      `${path}.jwks_url`,
      "expected https, or a loopback address: an attacker who replaces the keys on the way gets access",
    );
  }
}

function service(auth: ForwardAuth, path: string, report: Report): void {
  given(
    auth.headers_upstream.map((name, i) => [name, `${path}.headers_upstream[${i}]`]),
    report,
  );
}

/** Checks the names of fields that authentication adds to upstream requests. */
function given(names: readonly (readonly [name: string, path: string])[], report: Report): void {
  const seen = new Set<string>();
  for (const [name, path] of names) {
    const lower = name.toLowerCase();
    if (NOT_TO_BE_GIVEN.has(lower)) report.problem(path, `${JSON.stringify(name)} cannot be set by authentication`);
    else if (seen.has(lower)) report.problem(path, `${JSON.stringify(name)} appears twice`);
    seen.add(lower);
  }
}
