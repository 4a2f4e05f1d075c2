/**
 * Plain Node with the package ws, since Bun has an implementation of its own in its place.
 *
 *   ws-peer.mjs serve                 echoes on a port of its own, which it prints; /refuse is refused, /chat speaks "chat"
 *   ws-peer.mjs call URL CA           goes through what a client does, and prints what came of it as JSON
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { WebSocket, WebSocketServer } from "ws";

const MAX_PAYLOAD = 64 * 1024 * 1024;

function serve() {
  const http = createServer((_request, response) => response.writeHead(426).end());
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_PAYLOAD,
    perMessageDeflate: { threshold: 0 },
    handleProtocols: (protocols) => (protocols.has("chat") ? "chat" : false),
  });
  http.on("upgrade", (request, socket, head) => {
    socket.on("error", () => {});
    if (request.url.startsWith("/refuse")) {
      socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 7\r\nConnection: close\r\n\r\nnot you");
      return;
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      ws.on("error", () => {});
      ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary }));
    });
  });
  http.listen(0, "127.0.0.1", () => console.log(`listening ${http.address().port}`));
}

/** Opens, and resolves with the socket, or with the status that refused it. */
function open(url, protocols, options) {
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(url, protocols, options);
    ws.on("open", () => resolve(ws));
    ws.on("unexpected-response", (_request, response) => {
      const { socket } = response;
      let body = "";
      response.on("data", (chunk) => (body += chunk));
      response.on("end", () => {
        // It would keep the process until the server closes it.
        socket.destroy();
        resolve(`${response.statusCode} ${body}`);
      });
    });
    ws.on("error", reject);
  });
}

const hash = (data) => createHash("sha256").update(data).digest("hex");

async function echo(ws, data) {
  const answer = new Promise((resolve, reject) => {
    const onClose = (code) => reject(new Error(`closed with ${code}`));
    ws.once("close", onClose);
    ws.once("message", (content, isBinary) => {
      ws.off("close", onClose);
      resolve({ content, isBinary });
    });
  });
  ws.send(data);
  const { content, isBinary } = await answer;
  return hash(content) === hash(data) && isBinary === (typeof data !== "string");
}

async function call(url, ca) {
  const tls = ca === undefined ? {} : { ca: Buffer.from(ca, "base64").toString(), servername: "localhost" };
  const results = {};
  results.refused = await open(`${url}/refuse`, [], tls);
  for (const [name, perMessageDeflate] of [
    ["plain", false],
    ["deflate", { threshold: 0 }],
  ]) {
    const ws = await open(`${url}/echo`, ["other", "chat"], { perMessageDeflate, maxPayload: MAX_PAYLOAD, ...tls });
    const echoes = [];
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 1_000_000]) echoes.push(await echo(ws, randomBytes(length)));
    for (const text of ["", "hello", "Κόσμε €🦊".repeat(20_000)]) echoes.push(await echo(ws, text));
    for (let i = 0; i < 200; i++) echoes.push(await echo(ws, `message ${i} of many that are much alike`));
    const pong = new Promise((resolve) => ws.once("pong", (data) => resolve(data.toString())));
    ws.ping("are you there");
    const closed = new Promise((resolve) => ws.once("close", (code, reason) => resolve([code, reason.toString()])));
    const answered = await pong;
    ws.close(4321, "done");
    results[name] = {
      echoes: echoes.length,
      wrong: echoes.filter((isRight) => !isRight).length,
      pong: answered,
      protocol: ws.protocol,
      extensions: ws.extensions,
      closed: await closed,
    };
  }
  console.log(JSON.stringify(results));
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === "serve") serve();
else await call(...rest);
