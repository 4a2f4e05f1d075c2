/**
 * An application server with a bounded number of workers. A request occupies one from its head until the kernel has its
 * response; other requests wait. `/busy` returns the number of busy workers. Arguments: port, workers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const [port, workers] = process.argv.slice(2).map(Number);
const LARGE = Buffer.alloc(8 * 1_048_576, "x");

let busy = 0;
const waiting: (() => void)[] = [];

function free(): void {
  busy--;
  waiting.shift()?.();
}

function work(request: IncomingMessage, response: ServerResponse): void {
  if (response.destroyed) {
    waiting.shift()?.();
    return;
  }
  busy++;
  response.once("close", free);
  request.on("error", () => {});
  request.on("end", () => response.end(request.url === "/large" ? LARGE : "ok"));
  request.resume();
}

const server = createServer((request, response) => {
  if (request.url === "/busy") response.end(String(busy));
  else if (busy < (workers ?? 0)) work(request, response);
  else waiting.push(() => work(request, response));
});
server.requestTimeout = 0;
server.listen(port, "127.0.0.1", () => console.log("ready"));
