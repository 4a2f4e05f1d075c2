// Says what Node's HTTP parser makes of a request: reads one base64 line a request, writes one JSON line for each.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";

const server = createServer({ insecureHTTPParser: false, maxHeaderSize: 1 << 20, requireHostHeader: false });
server.timeout = 0;
server.headersTimeout = 0;
server.requestTimeout = 0;
let current;

function take(request) {
  if (current.method !== undefined) return;
  current.method = request.method;
  current.url = request.url;
  current.version = request.httpVersion;
  current.fields = request.rawHeaders;
  const parts = [];
  request.on("data", (chunk) => parts.push(chunk));
  request.on("end", () => {
    current.body = Buffer.concat(parts).toString("latin1");
    current.trailers = request.rawTrailers;
  });
  request.on("error", () => {});
}

server.on("request", take);
server.on("checkContinue", take);
server.on("checkExpectation", take);
server.on("connect", take);
server.on("clientError", (error) => {
  if (current.body === undefined) current.error ??= error.code ?? String(error);
});

async function parse(bytes) {
  current = {};
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  server.emit("connection", socket);
  socket.push(bytes);
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
  socket.destroy();
  return current;
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await parse(Buffer.from(line, "base64")))}\n`);
}
