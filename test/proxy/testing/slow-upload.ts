/** An upload in pieces, over any client protocol. */
import * as h2 from "../../support/http2-frames.ts";
import { Http2Client, requestFields } from "../../support/http2-client.ts";
import { block } from "../../support/http2-hpack.ts";
import { Http3Client } from "../../support/http3-client.ts";
import { statusOf } from "../../support/message.ts";
import { RawClient } from "../../support/raw-client.ts";
import { type ClientProtocol } from "./ask.ts";
import { type Rig } from "./rig.ts";

export interface SlowUpload {
  /** Sends a piece of the body. */
  send(piece: string): void;
  /** Sends the last piece; resolves with the response. */
  finish(piece: string): Promise<{ readonly status: number; readonly body: string }>;
  destroy(): void;
}

/** Sends the head of a POST that announces `length` bytes. */
export async function openUpload(
  rig: Rig,
  protocol: ClientProtocol,
  { path, length }: { readonly path: string; readonly length: number },
): Promise<SlowUpload> {
  if (protocol === "HTTP/1.1") return openHttp1(rig.port, path, length);
  if (protocol === "HTTP/2") return openHttp2(rig.port, path, length);
  return openHttp3(rig.quicPort, path, length);
}

async function openHttp1(port: number, path: string, length: number): Promise<SlowUpload> {
  const client = await RawClient.open(port);
  client.send(`POST ${path} HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${length}\r\n\r\n`);
  return {
    send: (piece) => client.send(piece),
    async finish(piece) {
      client.send(piece);
      const response = await client.finalResponse("POST");
      client.destroy();
      return { status: statusOf(response), body: response.body };
    },
    destroy: () => client.destroy(),
  };
}

async function openHttp2(port: number, path: string, length: number): Promise<SlowUpload> {
  const client = await Http2Client.ready(port);
  client.opensWindows = true;
  const fields = requestFields(path, "POST", [["content-length", String(length)]]);
  client.send(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, block(fields)));
  return {
    send: (piece) => client.send(h2.data(1, piece)),
    async finish(piece) {
      client.send(h2.data(1, piece, h2.END_STREAM));
      const { status, body } = await client.response(1);
      client.destroy();
      return { status, body: body.toString("latin1") };
    },
    destroy: () => client.destroy(),
  };
}

async function openHttp3(port: number, path: string, length: number): Promise<SlowUpload> {
  const client = await Http3Client.connect(port);
  const { stream, response } = await client.open("POST", path, { "content-length": String(length) }, false);
  response.catch(() => {});
  return {
    send: (piece) => void stream.writer.writeSync(Buffer.from(piece, "latin1")),
    async finish(piece) {
      stream.writer.writeSync(Buffer.from(piece, "latin1"));
      stream.writer.endSync();
      const { headers, body } = await response;
      client.close();
      return { status: Number(headers[":status"]), body: body.toString("latin1") };
    },
    destroy: () => client.close(),
  };
}
