/**
 * Sends the same bytes in response to every request on its port, and prints the port. Arguments: bytes of the page, its
 * coding.
 */
import { createServer } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { listenOnLoopback } from "../../src/lib/testing/listen.ts";

const [size = "30000", coding = "identity"] = process.argv.slice(2);
const WORDS = "the toll is paid at the gate by each traveller and no other person asks for more".split(" ");

/** Text that compresses to a fifth, like typical pages. */
function page(length: number): Buffer {
  let seed = 1;
  let text = "<!doctype html><title>Page</title>";
  while (text.length < length) {
    seed = (seed * 48_271) % 2_147_483_647;
    text += `<p class="a${seed % 977}">${WORDS[seed % WORDS.length] ?? ""} ${seed % 10_007}</p>\n`;
  }
  return Buffer.from(text.slice(0, length));
}

const bytes = page(Number(size));
const body = coding === "gzip" ? gzipSync(bytes) : coding === "br" ? brotliCompressSync(bytes) : bytes;
const fields = coding === "identity" ? "" : `Content-Encoding: ${coding}\r\n`;
const head =
  "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nVary: Accept-Encoding\r\n" +
  `${fields}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
const response = Buffer.concat([Buffer.from(head), body]);

const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.once("data", () => socket.end(response));
});
console.log(await listenOnLoopback(server));
