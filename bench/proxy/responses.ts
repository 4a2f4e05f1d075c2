/** Sends one request, as a client would, and compares the response: figures of wrong responses would be worthless. */
import { request as httpRequest } from "node:http";
import { connect, type ClientHttp2Session } from "node:http2";
import { bodyAt, GRPC_MESSAGE } from "./bodies.ts";
import { type Client } from "./cases.ts";

const PATIENCE_MS = 5000;

interface TimedResponse {
  readonly status: number;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, unknown>>;
}

/** Throws if the response differs from the origin's. A WebSocket client compares all messages itself. */
export async function checkResponse(client: Client, port: number): Promise<void> {
  if (client.kind === "websocket") return;
  const response = client.kind === "wrk" ? await askHttp1(client.path, port) : await askHttp2(client, port);
  const expected = client.kind === "grpc" ? GRPC_MESSAGE : Buffer.from(bodyAt(client.path));
  const { status, body, trailers } = response;
  if (status !== 200) throw new Error(`GET ${client.path} has the status ${status}`);
  if (client.kind === "grpc" && trailers["grpc-status"] !== "0") {
    throw new Error(`a call ends with grpc-status ${JSON.stringify(trailers["grpc-status"])}`);
  }
  if (!body.equals(expected)) {
    throw new Error(
      `${client.path} has a response of ${body.length} bytes that are not the origin's ${expected.length}`,
    );
  }
}

/** The request of wrk: without a field by which a cache could distinguish responses. */
function askHttp1(path: string, port: number): Promise<TimedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TimedResponse>();
  const asked = httpRequest({ host: "127.0.0.1", port, path, agent: false }, (response) => {
    const parts: Buffer[] = [];
    response.on("data", (part: Buffer) => parts.push(part));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts), trailers: {} }));
    response.on("error", reject);
  });
  asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error(`GET ${path} has no response`)));
  asked.on("error", reject);
  asked.end();
  return promise;
}

async function askHttp2(client: Client & { kind: "h2load" | "grpc" }, port: number): Promise<TimedResponse> {
  const scheme = client.kind === "grpc" ? "http" : "https";
  const session = connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  try {
    return await exchange(session, client);
  } finally {
    session.destroy();
  }
}

function exchange(session: ClientHttp2Session, client: Client & { kind: "h2load" | "grpc" }): Promise<TimedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<TimedResponse>();
  const isCall = client.kind === "grpc";
  const grpc = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };
  session.on("error", reject);
  const stream = session.request({ ":path": client.path, ...(isCall ? grpc : {}) });
  const parts: Buffer[] = [];
  let status = 0;
  let trailers: Readonly<Record<string, unknown>> = {};
  stream.on("response", (fields) => {
    status = Number(fields[":status"]);
    // A call that fails at once has a response with trailers only.
    trailers = fields;
  });
  stream.on("trailers", (fields) => {
    trailers = fields;
  });
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.on("end", () => resolve({ status, body: Buffer.concat(parts), trailers }));
  stream.on("error", reject);
  stream.setTimeout(PATIENCE_MS, () => stream.destroy(new Error(`${client.path} is not answered`)));
  stream.end(isCall ? GRPC_MESSAGE : undefined);
  return promise;
}
