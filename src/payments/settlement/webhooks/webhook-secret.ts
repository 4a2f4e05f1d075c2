import { createHmac } from "node:crypto";

/** Shortest secret without encoding, in bytes. Standard Webhooks asks for 24 to 64 random bytes. */
const MIN_BYTES = 24;
const MAX_BYTES = 1024;
/** Secrets that may be used at the same time; more are an error. Two are needed during a change of secrets. */
const MAX_SECRETS = 8;
const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads secrets that are separated by spaces. Each is `whsec_` followed by Base64, or plain text. Returns an empty list
 * if the variable is not set. `name` is the environment variable's, for errors; errors never repeat a secret. Throws if
 * a secret is too short.
 */
export function parseSecrets(name: string, text: string | undefined): readonly Uint8Array[] {
  const words = (text ?? "").split(/\s+/).filter((word) => word !== "");
  if (words.length > MAX_SECRETS) {
    throw new Error(`Cannot sign: $${name} holds more than ${MAX_SECRETS} secrets`);
  }
  return words.map((word, i) => {
    const bytes = parseSecret(word);
    if (bytes !== undefined) return bytes;
    const which = words.length === 1 ? "" : ` number ${i + 1}`;
    throw new Error(
      `Cannot sign: secret${which} of $${name} is neither whsec_ and Base64 nor plain text, of ${MIN_BYTES} bytes at least`,
    );
  });
}

function parseSecret(word: string): Uint8Array | undefined {
  const base64 = word.slice(PREFIX.length);
  const isEncoded = word.startsWith(PREFIX);
  if (isEncoded && !BASE64.test(base64)) return undefined;
  const bytes = isEncoded ? Buffer.from(base64, "base64") : Buffer.from(word, "utf8");
  return bytes.byteLength >= MIN_BYTES && bytes.byteLength <= MAX_BYTES ? bytes : undefined;
}

/** The signed parts of a webhook. `timestamp` is in Unix seconds. */
export interface Webhook {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/**
 * The headers of Standard Webhooks. They contain one signature for each secret, so that receivers can change to a new
 * secret at any time. Without a secret there is no signature.
 */
export function webhookHeaders(
  { id, timestamp, body }: Webhook,
  secrets: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map(
    (secret) => `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(signatures.length === 0 ? {} : { "webhook-signature": signatures.join(" ") }),
  };
}
