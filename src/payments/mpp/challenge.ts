/** The `Payment` scheme of HTTP authentication (draft-httpauth-payment-00). */
export const PAYMENT_SCHEME = "Payment";
/** The field with the payment methods that a client accepts. */
export const ACCEPT_PAYMENT = "Accept-Payment";

/** A challenge without its id. `request` and `opaque` are canonical JSON in base64url, `expires` is of RFC 3339. */
export interface ChallengeTerms {
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  readonly request: string;
  readonly expires?: string | undefined;
  /** The digest of the request's body, by RFC 9530. */
  readonly digest?: string | undefined;
  readonly opaque?: string | undefined;
}

export interface PaymentChallenge extends ChallengeTerms {
  readonly id: string;
}

const NAMES = ["id", "realm", "method", "intent", "request", "expires", "digest", "opaque"] as const;

/** A challenge as a value of WWW-Authenticate. */
export function writeChallenge(challenge: PaymentChallenge): string {
  const parameters = NAMES.flatMap((name) => {
    const value = challenge[name];
    return value === undefined ? [] : [`${name}="${value.replace(/["\\]/g, "\\$&")}"`];
  });
  return `${PAYMENT_SCHEME} ${parameters.join(", ")}`;
}

/** Characters of WWW-Authenticate that are read, and challenges in them. @bound */
const MAX_LENGTH = 65_536;
const MAX_CHALLENGES = 32;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(`[ \\t,]*(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|(${TOKEN}))`, "y");
const SCHEME = new RegExp(`[ \\t,]*(${TOKEN})(?=[ \\t,]|$)`, "y");
/** The token68 of another scheme (RFC 9110 §11.2). */
const TOKEN68 = /[ \t,]*[A-Za-z0-9._~+/-]+=*(?=[ \t,]|$)/y;

/** The challenges of the `Payment` scheme in a WWW-Authenticate field with all its lines. Malformed ones are left out. */
export function readChallenges(field: string): readonly PaymentChallenge[] {
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  for (let at = 0; at < Math.min(field.length, MAX_LENGTH); ) {
    const parameter = matchAt(PARAMETER, field, at);
    const scheme = parameter === null ? matchAt(SCHEME, field, at) : null;
    const skipped = scheme === null ? matchAt(TOKEN68, field, at) : null;
    const match = parameter ?? scheme ?? skipped;
    if (match === null || (found.length >= MAX_CHALLENGES && scheme !== null)) break;
    at += match[0].length;
    if (parameter !== null) {
      const [, name = "", quoted, token = ""] = parameter;
      current?.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? token);
    } else if (scheme !== null) {
      current = scheme[1]?.toLowerCase() === PAYMENT_SCHEME.toLowerCase() ? new Map<string, string>() : undefined;
      if (current !== undefined) found.push(current);
    }
  }
  return found.flatMap((parameters) => challengeOf(parameters) ?? []);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function challengeOf(parameters: ReadonlyMap<string, string>): PaymentChallenge | undefined {
  const [id, realm, method, intent, request, expires, digest, opaque] = NAMES.map((name) => parameters.get(name));
  if (!id || realm === undefined || method === undefined || intent === undefined || request === undefined) {
    return undefined;
  }
  return { id, realm, method, intent, request, expires, digest, opaque };
}
