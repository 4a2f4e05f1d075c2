import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";

/**
 * For tests only: a relay between clients and the server. It drops the server's bytes while `loses` is true. `sent` counts the
 * bytes that it passed to clients. `cut` ends all connections.
 */
export async function startRelay(
  port: number,
): Promise<Disposable & { port: number; loses: boolean; sent: number; cut(): void }> {
  const open = new Set<Socket>();
  const cut = () => open.forEach((client) => void client.destroy());
  const relay = { port: 0, loses: false, sent: 0, cut, [Symbol.dispose]: () => void listener.close() };
  const listener = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    open.add(client);
    client
      .on("error", () => {})
      .on("close", () => {
        open.delete(client);
        upstream.destroy();
      });
    upstream.on("error", () => {}).on("close", () => client.destroy());
    client.on("data", (chunk) => upstream.write(chunk));
    upstream.on("data", (chunk) => {
      if (relay.loses) return;
      relay.sent += chunk.length;
      client.write(chunk);
    });
  });
  relay.port = await listenOnLoopback(listener);
  return relay;
}
