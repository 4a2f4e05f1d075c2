/** Opens connections with one request each, and keeps them: `PORT COUNT http1|http2`. Prints `open` when ready. */
import { payloadFrame, PREFACE, SETTINGS } from "../../src/gateway/http2/frame.ts";
import { LOCAL_RESPONSE } from "./cases.ts";

const [port, count, protocol] = process.argv.slice(2);
/** Connections that are opened at the same time. */
const AT_ONCE = 64;
/** `:method: GET`, `:scheme: http`, `:path`, `:authority: x` (RFC 7541 §6.1, §6.2.2). */
const block = Buffer.concat([
  Buffer.from([0x82, 0x86, 0x04, LOCAL_RESPONSE.length]),
  Buffer.from(LOCAL_RESPONSE),
  Buffer.from([0x01, 0x01, 0x78]),
]);
const request =
  protocol === "http2"
    ? Buffer.concat([
        PREFACE,
        payloadFrame({ type: SETTINGS, flags: 0, streamId: 0 }, Buffer.alloc(0)),
        payloadFrame({ type: 1, flags: 5, streamId: 1 }, block),
      ])
    : Buffer.from(`GET ${LOCAL_RESPONSE} HTTP/1.1\r\nHost: x\r\n\r\n`);

async function open(): Promise<void> {
  const responded = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    socket: {
      open: (socket) => void socket.write(request),
      // The last frame of a response without a body is HEADERS with END_STREAM on stream 1.
      data: (_socket, bytes) => {
        if (protocol !== "http2" || bytes.includes(Buffer.from([0x05, 0, 0, 0, 1]))) responded.resolve();
      },
      close: () => responded.reject(new Error("the server closed a connection")),
    },
  });
  await responded.promise;
}

let left = Number(count);
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) await open();
  }),
);
console.log("open");
setInterval(() => {}, 60_000);
