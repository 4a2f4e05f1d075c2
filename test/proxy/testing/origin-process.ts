/**
 * A program: an origin on loopback that responds to every request with its own name. Arguments: `http1` or `h2c`, port,
 * name.
 */
import { createServer as createHttp2Server } from "node:http2";
import { listeningPort } from "../../../src/lib/testing/listen.ts";

const [protocol, port, name = ""] = process.argv.slice(2);

function ready(bound: number): void {
  process.stdout.write(`ready on ${bound}\n`);
}

if (protocol === "h2c") {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.on("error", () => {});
    stream.respond({ ":status": 200, "content-length": name.length });
    stream.end(name);
  });
  server.listen(Number(port), "127.0.0.1", () => ready(listeningPort(server)));
} else {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: Number(port),
    fetch: () => new Response(name),
  });
  ready(server.port ?? 0);
}
