/**
 * gRPC calls frame by frame: a client and a server that send exactly the frames of the test, and the gateway between
 * them.
 */
import * as h2 from "../../support/http2-frames.ts";
import { fieldOf, type Frame, Http2Client, requestFields } from "../../support/http2-client.ts";
import { block, type HeaderList } from "../../support/http2-hpack.ts";
import { Http2Origin, type OriginRequest } from "../../proxy/testing/http2-origin.ts";
import { Rig } from "../../proxy/testing/rig.ts";

export const GRPC_TYPE: readonly [string, string] = ["content-type", "application/grpc"];

/** A message in gRPC's framing: not compressed, with its length. */
export function message(text: string): Buffer {
  const content = Buffer.from(text);
  return Buffer.concat([Buffer.from([0]), h2.words(content.length), content]);
}

/** The result of a call, as the client sees it. */
export interface Told {
  /** The HTTP status. */
  readonly status: string | undefined;
  readonly grpcStatus: string | undefined;
  readonly message: string | undefined;
  /** The response was a single head that ended the stream. */
  readonly trailersOnly: boolean;
  readonly head: HeaderList;
  readonly body: string;
}

export class WireRig {
  readonly rig: Rig;
  readonly origin: Http2Origin;
  readonly #clients: Http2Client[] = [];

  private constructor(rig: Rig, origin: Http2Origin) {
    this.rig = rig;
    this.origin = origin;
  }

  /** `upstreams` and `routes` are added to the rig's own. */
  static async start(
    options: { route?: object; pool?: object; more?: object; upstreams?: object[]; routes?: object[] } = {},
  ): Promise<WireRig> {
    const origin = await Http2Origin.start();
    origin.onRequest = () => {};
    const server = { address: "127.0.0.1", port: origin.port, max_fails: 3 };
    const rig = await Rig.start({
      upstreams: [
        { name: "origin", protocol: "h2c", servers: [server], connection_pool: options.pool ?? {} },
        ...(options.upstreams ?? []),
      ],
      routes: [{ path_prefix: "/test.Echo/", upstream: "origin", ...options.route }, ...(options.routes ?? [])],
      ...options.more,
    });
    return new WireRig(rig, origin);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await this.origin.stop();
    await this.rig.stop();
  }

  async client(...settings: readonly (readonly [id: number, value: number])[]): Promise<Http2Client> {
    const client = await Http2Client.ready(this.rig.port, ...settings);
    this.#clients.push(client);
    return client;
  }

  /** The `index`th request with that path, after its head has arrived. */
  async request(path = "/test.Echo/Call", index = 0): Promise<OriginRequest> {
    return await this.origin.until(`request ${index} for ${path}`, () => this.origin.on(path)[index]);
  }
}

/** Begins a call. */
export function begin(client: Http2Client, streamId: number, more: HeaderList = [], path = "/test.Echo/Call"): void {
  const fields = block(requestFields(path, "POST", [GRPC_TYPE, ["te", "trailers"], ...more]));
  client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, streamId, fields));
}

/** A whole unary call. */
export function unary(client: Http2Client, streamId: number, more: HeaderList = [], path?: string): void {
  begin(client, streamId, more, path);
  client.send(h2.data(streamId, message("hello"), h2.END_STREAM));
}

/** The result of the call on the stream, after it has ended. */
export async function told(client: Http2Client, streamId: number): Promise<Told> {
  const { fields, trailers, body } = await client.response(streamId);
  const frames = client.frames.filter((frame) => frame.streamId === streamId && carries(frame));
  const trailersOnly = frames.length === 1;
  const last = trailersOnly ? fields : trailers;
  return {
    status: fieldOf(fields, ":status"),
    grpcStatus: fieldOf(last, "grpc-status"),
    message: fieldOf(last, "grpc-message"),
    trailersOnly,
    head: fields,
    body: body.toString("latin1"),
  };
}

function carries({ type }: Frame): boolean {
  return type === h2.HEADERS || type === h2.DATA;
}

/** The server's whole response: head, one message, trailers. */
export function response(request: OriginRequest, status = "0"): void {
  request.head(200, [GRPC_TYPE]);
  request.data(message("hi"));
  end(request, status);
}

/** The server's trailers. */
export function end(request: OriginRequest, status = "0", more: HeaderList = []): void {
  const fields = block([["grpc-status", status], ...more]);
  request.connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, request.streamId, fields));
}
