/**
 * Requests of other suites for `/`, with each kind of route and listener: a file or an upstream, without or with TLS.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { LOCALHOST } from "../../support/certificates.ts";
import { everythingTo } from "../../support/gateway.ts";
import { Http2Client } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { Folder, Program } from "../../support/program.ts";
import { RawOrigin } from "../../support/raw-origin.ts";
import { ask, ASKED, get } from "./at-once.ts";
import { ASKED_MORE } from "./at-once-more.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const folder = new Folder();
const programs: Program[] = [];
const ports = { file: { http: 0, https: 0 }, upstream: { http: 0, https: 0 } };
let origin: RawOrigin;

/** Two listeners on free ports, with and without TLS. */
async function start(name: "file" | "upstream", rest: object): Promise<void> {
  const listeners = [false, true].map((isSecure) => ({ address: "127.0.0.1", port: 0, use_tls: isSecure }));
  const tls = { cert_path: folder.write("own.pem", LOCALHOST.cert), key_path: folder.write("own.key", LOCALHOST.key) };
  const server = { workers: 1, listeners, ...(name === "file" ? { static_root: folder.path } : {}) };
  const program = new Program(["--config", folder.write(`${name}.json`, { server, tls, ...rest })]);
  programs.push(program);
  for (const scheme of ["http", "https"] as const) {
    const [, port] = await program.sees(new RegExp(`listening on ${scheme}://\\S*?:(\\d+)`));
    ports[name][scheme] = Number(port);
  }
}

beforeAll(async () => {
  folder.write("index.html", "hello, world");
  origin = await RawOrigin.start();
  origin.response = (_, connection) => connection.send("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello, world");
  await Promise.all([start("file", {}), start("upstream", everythingTo(origin.port))]);
});

afterAll(async () => {
  await Promise.all(programs.map((program) => program.stop()));
  await origin.stop();
  folder.remove();
});

async function withClient(port: number, isSecure: boolean, run: (client: Http2Client) => Promise<void>): Promise<void> {
  const client = await Http2Client.open(port, isSecure);
  try {
    await run(client);
  } finally {
    client.destroy();
  }
}

for (const name of ["file", "upstream"] as const) {
  for (const scheme of ["http", "https"] as const) {
    const isSecure = scheme === "https";
    describe(`${name} over ${scheme}`, () => {
      test.each([...ASKED, ...ASKED_MORE].map((asked) => [asked.what, asked] as const))("%s", async (_, asked) => {
        await withClient(ports[name][scheme], isSecure, (client) => ask(client, asked, scheme));
      });

      test("a stream above the limit is refused, while the windows are shut", async () => {
        await withClient(ports[name][scheme], isSecure, async (client) => {
          await client.greet([h2.INITIAL_WINDOW_SIZE, 0]);
          for (let i = 0; i <= 128; i++) client.send(get(scheme, 1 + 2 * i));
          expect([h2.REFUSED_STREAM, h2.PROTOCOL_ERROR]).toContain(await client.resetCode(257));
        });
      });

      test("a connection without the preface is ended", async () => {
        await withClient(ports[name][scheme], isSecure, async (client) => {
          client.send("INVALID CONNECTION PREFACE\r\n\r\n");
          await client.closed();
        });
      });
    });
  }
}
