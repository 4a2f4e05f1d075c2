import { connect, createServer } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";

/** For tests only: a relay between a client and the server. It drops the server's bytes while `loses` is true. */
export async function startRelay(port: number): Promise<Disposable & { port: number; loses: boolean }> {
  const relay = { port: 0, loses: false, [Symbol.dispose]: () => void listener.close() };
  const listener = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.on("error", () => {}).on("close", () => upstream.destroy());
    upstream.on("error", () => {}).on("close", () => client.destroy());
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (!relay.loses) client.write(chunk);
    });
  });
  relay.port = await listenOnLoopback(listener);
  return relay;
}
