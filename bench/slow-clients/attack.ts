/** Many slow clients, in a separate process. Arguments: kind, port, count. It runs until it is killed. */
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { type AttackKind } from "./kinds.ts";

const [kind = "uploads", port = "0", count = "0"] = process.argv.slice(2);
/** The Content-Length of each client. */
const LENGTH = 100_000;
const DRIP_MS = 1000;

function open(head: string): Socket {
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  socket.on("connect", () => socket.write(head));
  return socket;
}

function uploads(): void {
  const socket = open(`POST /small HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${LENGTH}\r\n\r\nx`);
  const drip = setInterval(() => socket.write("x"), DRIP_MS);
  socket.on("close", () => clearInterval(drip));
  socket.resume();
}

function downloads(): void {
  open("GET /large HTTP/1.1\r\nHost: a.test\r\n\r\n").pause();
}

/** Streams of one connection. */
function h2Uploads(): void {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  for (let i = 0; i < Math.min(Number(count), 100); i++) {
    const stream = session.request({ ":method": "POST", ":path": "/small", "content-length": String(LENGTH) });
    stream.on("error", () => {});
    stream.write("x");
  }
}

const ATTACKS: Readonly<Record<AttackKind, () => void>> = {
  none() {},
  uploads: () => repeat(uploads),
  downloads: () => repeat(downloads),
  "h2-uploads": h2Uploads,
};

function repeat(begin: () => void): void {
  for (let i = 0; i < Number(count); i++) begin();
}

ATTACKS[kind as AttackKind](); // An argument of the bench.
setInterval(() => {}, 60_000);
console.log("ready");
