import { JoinedPieces } from "../memory/joined-pieces.ts";
import { parsedJson } from "../parsed-json.ts";

/** Largest body of one response, in bytes. No content operation returns more. */
export const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;

/** A gateway's decompressed body. Throws if the connection breaks, or beyond MAX_RESPONSE_BYTES. */
export async function readResponse(response: Pick<Response, "body">): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readUpTo(response, MAX_RESPONSE_BYTES);
  if (bytes === undefined) throw new Error(`Cannot read the response: it has more than ${MAX_RESPONSE_BYTES} bytes`);
  return bytes;
}

/** The body of a response; undefined if it has more than `most` bytes. Throws if the connection breaks. */
export async function readUpTo(
  response: Pick<Response, "body">,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces = new JoinedPieces();
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most) return undefined;
    pieces.add(chunk);
  }
  return new Uint8Array(pieces.joined());
}

/** Bytes of a failed response that are read, and milliseconds that reading them may take. The rest is left out. */
const MAX_FAILURE_BYTES = 64 * 1024;
const MAX_FAILURE_MS = 10_000;

/** The text of a failed response of an untrusted server, as far as it is read. Never rejects. */
export async function failureText({ body }: Pick<Response, "body">): Promise<string> {
  const pieces = new JoinedPieces();
  let length = 0;
  const reader = body?.getReader();
  const stop = (): void => void reader?.cancel().catch(() => {});
  const timer = setTimeout(stop, MAX_FAILURE_MS);
  try {
    while (length < MAX_FAILURE_BYTES) {
      const next = await reader?.read();
      if (next?.value === undefined) break;
      length += next.value.length;
      pieces.add(next.value);
    }
  } catch {
    // The connection broke: the rest is missing.
  } finally {
    clearTimeout(timer);
    stop();
  }
  return pieces.joined().subarray(0, MAX_FAILURE_BYTES).toString("utf8");
}

/** An untrusted server's JSON body; undefined beyond `most` bytes or if not JSON. Throws on a broken connection. */
export async function readJsonUpTo(response: Pick<Response, "body">, most: number): Promise<unknown> {
  const bytes = await readUpTo(response, most);
  return bytes === undefined ? undefined : parsedJson(Buffer.from(bytes.buffer).toString("utf8"));
}

/** The same as JSON. Also throws if the body is not JSON. */
export async function readJsonResponse(response: Pick<Response, "body">): Promise<unknown> {
  const value: unknown = JSON.parse(new TextDecoder().decode(await readResponse(response)));
  return value;
}
