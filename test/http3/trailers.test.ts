/** Trailers of many messages over HTTP/3, between processes: the engine once made some of them data of the body. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { Clients, type ProtocolGateway, startProtocols } from "../policy/protocols.ts";
import { everythingTo } from "../support/gateway.ts";
import { RawOrigin } from "../support/raw-origin.ts";

setDefaultTimeout(patient(60_000));

const RESPONSES = 400;
/** Fewer: each waits for a delayed acknowledgement of the server. */
const REQUESTS = 40;
const PARALLEL = 8;

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  gateway = await startProtocols(everythingTo(origin.port));
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

function chunked(content: string): string {
  return `${content.length.toString(16)}\r\n${content}\r\n`;
}

/** Bodies of different lengths, up to 150 kB. */
function lengthOf(message: number): number {
  return 1 + ((message * 7919) % 150_000);
}

test("every response arrives with its trailers, and without a byte more", async () => {
  origin.response = ({ startLine }, connection) => {
    const length = Number(/\/(\d+)/.exec(startLine)?.[1]);
    const chunk = chunked("x".repeat(length));
    connection.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\nX-T: ${length}\r\n\r\n`);
  };
  for (let message = 0; message < RESPONSES; message++) {
    const length = lengthOf(message);
    const { body, trailers } = await gateway.request("HTTP/3", { path: `/${length}` });
    expect([body.length, trailers]).toEqual([length, [["x-t", String(length)]]]);
  }
});

test("responses in several chunks arrive whole among ones that are cut off and ones that their clients leave", async () => {
  origin.response = ({ startLine }, connection) => {
    const [, kind, digits] = /\/(\w+)\/(\d+)/.exec(startLine) ?? [];
    const length = Number(digits);
    const half = chunked("x".repeat(length));
    connection.send(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${half}`);
    setImmediate(() => {
      if (kind === "cut") connection.reset();
      else connection.send(`${half}0\r\n${kind === "bare" ? "" : `X-T: ${length}\r\n`}\r\n`);
    });
  };
  const clients = new Clients(gateway.tlsPort, gateway.quicPort);
  const ask = async (message: number): Promise<void> => {
    const length = lengthOf(message);
    const cut = clients.request("HTTP/3", { path: `/cut/${length}` }).catch(() => "cut off");
    const leave = await clients.open("HTTP/3", `/left/${length}`);
    const bare = clients.request("HTTP/3", { path: `/bare/${length}` });
    const { body, trailers } = await clients.request("HTTP/3", { path: `/whole/${length}` });
    leave();
    expect([body.length, trailers]).toEqual([2 * length, [["x-t", String(length)]]]);
    const without = await bare;
    expect([without.body.length, without.trailers]).toEqual([2 * length, []]);
    expect(await cut).toBe("cut off");
  };
  for (let message = 0; message < REQUESTS; message += PARALLEL) {
    await Promise.all(Array.from({ length: PARALLEL }, (_, i) => ask(message + i)));
  }
  await clients.close();
});

test("every request arrives with its trailers, and without a byte more", async () => {
  origin.response = ({ body, trailers }, connection) => {
    const seen = `${body.length} ${JSON.stringify(trailers)}`;
    connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${seen.length}\r\n\r\n${seen}`);
  };
  for (let message = 0; message < REQUESTS; message++) {
    const body = "x".repeat(lengthOf(message));
    const reply = await gateway.request("HTTP/3", { method: "POST", body, trailers: [["x-t", "1"]] });
    expect(reply.text).toBe(`${body.length} [["x-t","1"]]`);
  }
});
