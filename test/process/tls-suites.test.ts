/** The TLS versions, suites and protocols that a listener accepts and refuses (RFC 9325 §3 and §4, RFC 7301 §3.2). */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect, type ConnectionOptions, type TLSSocket } from "node:tls";
import { LOCALHOST } from "../support/certificates.ts";
import { Folder, Program } from "../support/program.ts";
import { Waiters } from "../support/waiters.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { isInstalled } from "../../src/lib/testing/installed.ts";

setDefaultTimeout(patient(20_000));

const OPENSSL = Bun.which("openssl") ?? "";
const PATIENCE_MS = 10_000;

const folder = new Folder();
let program: Program;
let port = 0;

beforeAll(async () => {
  const tls = { cert_path: folder.write("own.pem", LOCALHOST.cert), key_path: folder.write("own.key", LOCALHOST.key) };
  const listeners = [{ address: "127.0.0.1", port: 0, use_tls: true }];
  program = new Program(["--config", folder.write("turnpike.json", { server: { workers: 1, listeners }, tls })]);
  const [, found] = await program.sees(/listening on https:\/\/\S*?:(\d+)/);
  port = Number(found);
});

afterAll(async () => {
  await program.stop();
  folder.remove();
});

async function open(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  await once(socket, "secureConnect");
  return socket;
}

/** The negotiated parameters, or `refused`. */
async function agreed(options: ConnectionOptions): Promise<string> {
  try {
    const socket = await open(options);
    const { name } = socket.getCipher();
    socket.destroy();
    return name;
  } catch {
    return "refused";
  }
}

describe("in TLS 1.2", () => {
  for (const suite of [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
  ]) {
    test(`${suite} is supported`, async () => {
      expect(await agreed({ maxVersion: "TLSv1.2", ciphers: suite })).toBe(suite);
    });
  }

  for (const suite of ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA", "AES128-GCM-SHA256", "AES128-SHA"]) {
    test(`${suite} is not supported`, async () => {
      expect(await agreed({ maxVersion: "TLSv1.2", ciphers: suite })).toBe("refused");
    });
  }

  test.skipIf(!isInstalled("openssl"))("a client that renegotiates is refused, and others are served", async () => {
    const client = Bun.spawn([OPENSSL, "s_client", "-connect", `127.0.0.1:${port}`, "-tls1_2"], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    let said = "";
    const waiters = new Waiters();
    const hear = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
      for await (const chunk of stream) {
        said += Buffer.from(chunk).toString("latin1");
        waiters.wake();
      }
    };
    const heard = Promise.all([hear(client.stdout), hear(client.stderr)]);
    const sees = (text: string): Promise<true | undefined> =>
      waiters.until(() => (said.includes(text) ? true : undefined), PATIENCE_MS);
    expect(await sees("Verify return code")).toBe(true);
    void client.stdin.write("R\n");
    await client.stdin.flush();
    expect(await sees("alert no renegotiation")).toBe(true);
    client.kill();
    await Promise.all([client.exited, heard]);
    expect(await agreed({})).not.toBe("refused");
  });
});

test("a client that offers only unknown protocols by ALPN is refused, and a client without ALPN is not", async () => {
  expect(await agreed({ ALPNProtocols: ["foo"] })).toBe("refused");
  expect(await agreed({})).not.toBe("refused");
  const socket = await open({ ALPNProtocols: ["foo", "http/1.1"] });
  expect(socket.alpnProtocol).toBe("http/1.1");
  socket.destroy();
});
