import { messageOf } from "../../../lib/caught.ts";
import { readUpTo } from "../../../lib/http/response-bytes.ts";
import { type ContentSummary } from "../shapes/overview.ts";

/** Milliseconds in which the content service must respond. @bound */
const TIMEOUT_MS = 2000;
/** Bytes of its response. */
const MAX_BYTES = 65_536;

/** Asks the content service behind a Unix socket for its state. */
export async function readContent(socket: string): Promise<ContentSummary> {
  try {
    // While the service starts, or while its browser does not work, /health says so. The figures are then missing or
    // old.
    const [health, figures] = await Promise.all([ask(socket, "/health"), ask(socket, "/figures")]);
    return { available: true, health: { ...health, ...("engines" in figures ? { figures } : {}) } };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    return unavailable(late ? `it did not respond within ${TIMEOUT_MS} ms` : messageOf(error));
  }
}

async function ask(unix: string, path: string): Promise<object> {
  const response = await fetch(`http://content${path}`, { unix, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const body = await readUpTo(response, MAX_BYTES);
  if (body === undefined) throw new Error(`its response to ${path} is too long`);
  const value: unknown = JSON.parse(Buffer.from(body).toString());
  if (typeof value !== "object" || value === null) throw new Error(`its response to ${path} is not an object`);
  return value;
}

function unavailable(why: string): ContentSummary {
  return { available: false, reason: `Cannot query the content service: ${why}` };
}
