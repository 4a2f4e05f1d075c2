import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy of a caller on loopback, for HTTP tunnels and SOCKS 5. It records what it is asked for. */
export interface CallerProxy {
  readonly port: number;
  /** Targets such as `127.0.0.1:80`, and the names and passwords that came with them. */
  readonly asked: string[];
  close(): void;
}

/** The names and passwords that the proxy accepts; undefined: all, and none. */
export async function startCallerProxy(protocol: "http" | "socks5", login?: string): Promise<CallerProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    const relay = (host: string, port: number, answer: Uint8Array): void => {
      asked.push(`${host}:${port}`);
      const target = connect({ host, port });
      sockets.add(target);
      target.on("error", () => client.destroy());
      target.on("connect", () => {
        client.write(answer);
        client.pipe(target);
        target.pipe(client);
      });
      client.on("close", () => target.destroy());
    };
    if (protocol === "http") serveHttp(client, login, relay);
    else serveSocks(client, login, relay);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    // A server that listens on TCP has an address.
    port: (server.address() as AddressInfo).port,
    asked,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Relay = (host: string, port: number, answer: Uint8Array) => void;

function serveHttp(client: Socket, login: string | undefined, relay: Relay): void {
  client.once("data", (bytes) => {
    client.pause();
    const head = bytes.toString();
    const [, host = "", port = ""] = /^CONNECT \[?([^\]\s]+?)\]?:(\d+) /.exec(head) ?? [];
    const coded = /^proxy-authorization: basic (\S+)/im.exec(head)?.[1] ?? "";
    if (login !== undefined && Buffer.from(coded, "base64").toString() !== login) {
      client.end("HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n");
    } else relay(host, Number(port), Buffer.from("HTTP/1.1 200 OK\r\n\r\n"));
  });
}

/** The client waits for each response, so that each message comes alone. */
function serveSocks(client: Socket, login: string | undefined, relay: Relay): void {
  const command = (): void => {
    client.once("data", (bytes) => {
      client.pause();
      const isV6 = bytes[3] === 4;
      const address = bytes.subarray(4, isV6 ? 20 : 8);
      const host = isV6 ? address.toString("hex").replace(/(.{4})(?!$)/g, "$1:") : [...address].join(".");
      relay(host, bytes.readUInt16BE(isV6 ? 20 : 8), Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
    });
  };
  client.once("data", () => {
    client.write(Uint8Array.of(5, login === undefined ? 0 : 2));
    if (login === undefined) return command();
    client.once("data", (bytes) => {
      const length = bytes[1] ?? 0;
      const said = `${bytes.subarray(2, 2 + length).toString()}:${bytes.subarray(3 + length).toString()}`;
      client.write(Uint8Array.of(1, said === login ? 0 : 1));
      if (said === login) command();
    });
  });
}
