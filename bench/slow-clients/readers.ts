/** Clients that request a response and do not read it, in a separate process: `PROTOCOL PORT COUNT`. Prints `ready`. */
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { payloadFrame, PREFACE, SETTINGS } from "../../src/gateway/http2/frame.ts";

const [protocol, port = "0", count = "0"] = process.argv.slice(2);
const PATH = "/large";
/** The largest window (RFC 9113 §6.9.1), as a SETTINGS parameter and as an increment. */
const WINDOW_SETTING = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]);
const WINDOW_INCREMENT = Buffer.from([0x7f, 0xff, 0, 0]);
const WINDOW_UPDATE = 8;
/** `:method: GET`, `:scheme: http`, `:path`, `:authority: x` (RFC 7541 §6.1, §6.2.2). */
const BLOCK = Buffer.concat([
  Buffer.from([0x82, 0x86, 0x04, PATH.length]),
  Buffer.from(PATH),
  Buffer.from([0x01, 0x01, 0x78]),
]);
const REQUEST =
  protocol === "http2"
    ? Buffer.concat([
        PREFACE,
        payloadFrame({ type: SETTINGS, flags: 0, streamId: 0 }, WINDOW_SETTING),
        payloadFrame({ type: WINDOW_UPDATE, flags: 0, streamId: 0 }, WINDOW_INCREMENT),
        payloadFrame({ type: 1, flags: 5, streamId: 1 }, BLOCK),
      ])
    : Buffer.from(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`);

function open(): void {
  const socket: Socket =
    protocol === "tls"
      ? connectTls({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  socket.on(protocol === "tls" ? "secureConnect" : "connect", () => socket.write(REQUEST));
  socket.pause();
}

for (let i = 0; i < Number(count); i++) open();
setInterval(() => {}, 60_000);
console.log("ready");
