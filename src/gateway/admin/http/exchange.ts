import { type IncomingMessage, type ServerResponse } from "node:http";
import { TurnpikeError } from "../../../lib/errors.ts";
import { JoinedPieces } from "../../../lib/memory/joined-pieces.ts";
import { type Connection } from "./connection.ts";

/** The input of a handler: the request, its sender, and its body, which is not part of `request`. */
export interface Incoming {
  readonly request: Request;
  readonly connection: Connection;
  /** The hosts that the request names: that of an absolute target (RFC 9112 §3.2.2), or else those of its Host fields. */
  readonly authorities: readonly string[];
  /** The whole body. Rejects with an error for the client if it is longer than `maxBytes`. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array>;
}

/** A HEAD request is passed on as a GET, and the body of its response is not sent. */
type Handler = (incoming: Incoming) => Promise<Response>;

const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** Responds to a request of node:http with a handler of web requests. */
export async function respondBy(
  handler: Handler,
  message: IncomingMessage,
  serverResponse: ServerResponse,
  connection: Connection,
): Promise<void> {
  const gone = new AbortController();
  serverResponse.once("close", () => {
    gone.abort();
    connection.requestEnded(!message.complete);
  });
  const request = toRequest(message, gone.signal);
  const response = await handler({
    request,
    connection,
    authorities: authoritiesOf(message),
    readBody: (maxBytes) => readBody(message, maxBytes, connection),
  });
  await send(response, { message, serverResponse, connection });
}

function authoritiesOf({ url = "", rawHeaders, httpVersion }: IncomingMessage): readonly string[] {
  const target = ABSOLUTE.exec(url)?.[1];
  if (target !== undefined) return [target];
  const named = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "host");
  // RFC 9112 §3.2: only HTTP/1.0 may leave out the field.
  return named.length === 0 && httpVersion !== "1.0" ? [""] : named;
}

function toRequest(message: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url: target = "/", rawHeaders } = message;
  const headers = new Headers();
  for (const [i, name] of rawHeaders.entries()) {
    if (i % 2 === 1) continue;
    try {
      headers.append(name, rawHeaders[i + 1] ?? "");
    } catch {
      // Handlers do not read fields that the Fetch standard does not allow.
    }
  }
  // A URL would turn each backslash into a slash.
  const path = target.replace(ABSOLUTE, "").replaceAll("\\", "%5C");
  const url = `http://admin${path.startsWith("/") ? path : `/${path}`}`;
  return new Request(url, { method: method === "HEAD" ? "GET" : method, headers, signal });
}

function tooLarge(maxBytes: number): TurnpikeError {
  return new TurnpikeError("body-too-large", `Cannot read the body: it has more than ${maxBytes} bytes`);
}

async function readBody(message: IncomingMessage, maxBytes: number, connection: Connection): Promise<Uint8Array> {
  if (Number(message.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const pieces = new JoinedPieces();
  let length = 0;
  message.on("data", (chunk: Uint8Array) => {
    length += chunk.length;
    if (length > maxBytes) reject(tooLarge(maxBytes));
    else pieces.add(chunk);
  });
  message.once("end", () => resolve(pieces.joined()));
  const cut = (): void => reject(new TurnpikeError("bad-request", "Cannot read the body: the connection has ended"));
  message.once("error", cut);
  message.once("close", cut);
  try {
    return await promise;
  } finally {
    message.removeAllListeners("data");
    connection.waited();
  }
}

interface Sides {
  readonly message: IncomingMessage;
  readonly serverResponse: ServerResponse;
  readonly connection: Connection;
}

async function send(response: Response, { message, serverResponse, connection }: Sides): Promise<void> {
  const isHead = message.method === "HEAD";
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = isStream ? undefined : new Uint8Array(await response.arrayBuffer());
  if (serverResponse.destroyed) {
    if (isStream) await response.body?.cancel();
    return;
  }
  serverResponse.statusCode = response.status;
  for (const [name, value] of response.headers) if (name !== "set-cookie") serverResponse.setHeader(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) serverResponse.setHeader("set-cookie", cookies);
  // The rest of the body would be read as the next request.
  if (!message.complete || connection.isRetired) serverResponse.setHeader("connection", "close");
  message.resume();
  if (body === undefined) {
    await stream(response, { message, serverResponse, connection });
    return;
  }
  if (response.status !== 304 && response.status !== 204) serverResponse.setHeader("content-length", body.length);
  connection.writing();
  serverResponse.end(isHead ? undefined : body);
}

/** Sends the pieces as the client reads them. At most one piece waits. */
async function stream(response: Response, { message, serverResponse, connection }: Sides): Promise<void> {
  if (message.method === "HEAD" || response.body === null) {
    await response.body?.cancel();
    connection.writing();
    serverResponse.end();
    return;
  }
  // The gateway does not wait for the rest of a body.
  connection.waited();
  const reader = response.body.getReader();
  serverResponse.once("close", () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done || serverResponse.destroyed) break;
    connection.writing();
    await taken(serverResponse, value);
    connection.waited();
  }
  if (!serverResponse.destroyed) serverResponse.end();
}

/** Waits until a piece was sent, or the client has left. */
function taken(serverResponse: ServerResponse, piece: Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (serverResponse.write(piece)) resolve();
  else {
    serverResponse.once("drain", resolve);
    serverResponse.once("close", resolve);
  }
  return promise;
}
