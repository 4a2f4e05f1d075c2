/** The HTTP server of a tenant on a Unix socket, the same as in micro-vm.ts, with some faulty variants. */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";

/** Serves a tenant on `path`; resolves when it listens. */
export async function serveTenant(tenant: string, path: string): Promise<Server> {
  const boot = crypto.randomUUID();
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    const { method = "", url = "", headers } = request;
    let length = 0;
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      hash.update(chunk);
    });
    request.on("end", () => {
      const told = {
        tenant,
        boot,
        requests,
        method,
        url,
        host: headers.host ?? "",
        body: length,
        sha256: hash.digest("hex"),
        added: headers["x-added"] ?? "",
      };
      const bytes = `${JSON.stringify(told)}\n`;
      const head = { "Content-Type": "application/json", "Content-Length": String(bytes.length) };
      switch (url.replace(/\?.*/, "")) {
        case "/stalls":
          // The announced length is never reached.
          response.writeHead(200, { ...head, "Content-Length": "10000" }).write(bytes);
          break;
        case "/stream":
          // Chunked, without an end.
          response.writeHead(200).write(bytes);
          break;
        case "/big":
          response.writeHead(200, { "Content-Length": "1000000" }).end(Buffer.alloc(1_000_000, tenant[0]));
          break;
        case "/big-chunked":
          response.writeHead(200).write(Buffer.alloc(500_000, tenant[0]));
          response.end(Buffer.alloc(500_000, tenant[0]));
          break;
        case "/big-stalls":
          response.writeHead(200, { "Content-Length": "1000000" }).write(Buffer.alloc(500_000, tenant[0]));
          break;
        case "/cut":
          response.writeHead(200, { ...head, "Content-Length": "10000" }).write(bytes, () => request.socket.destroy());
          break;
        case "/cut-chunked":
          response.writeHead(200).write(bytes, () => request.socket.destroy());
          break;
        case "/reset":
          request.socket.destroy();
          break;
        case "/garbage":
          request.socket.end("this is not HTTP\r\n\r\n");
          break;
        case "/late":
          setTimeout(() => response.writeHead(200, head).end(bytes), 300);
          break;
        default:
          response.writeHead(200, head).end(bytes);
      }
    });
  });
  server.on("upgrade", (request, socket) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    socket.on("data", (bytes: Buffer) => socket.write(`${tenant}:${bytes.toString("latin1")}`, "latin1"));
    socket.on("error", () => socket.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(path, resolve);
  await promise;
  return server;
}
