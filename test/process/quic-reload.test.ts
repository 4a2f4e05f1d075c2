/** Reloads that disable HTTP/3 on a port and enable it again. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo } from "../support/gateway.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder, Program, until } from "../support/program.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

let folder: Folder;
let origin: RawOrigin;
beforeEach(async () => {
  folder = new Folder();
  origin = await RawOrigin.start();
});
afterEach(async () => {
  await origin.stop();
  folder.remove();
});

function write(port: number, withQuic: boolean): string {
  const listeners = [{ address: "127.0.0.1", port, use_tls: true, quic_enabled: withQuic }];
  const tls = { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) };
  return folder.write("turnpike.json", { server: { workers: 1, listeners }, tls, ...everythingTo(origin.port) });
}

test("HTTP/3 may return to a port on which an earlier request still runs, and that request completes", async () => {
  const program = new Program(["--config", write(0, true)]);
  try {
    const [, text] = await program.sees(/listening on \S+:(\d+)/);
    const port = Number(text);
    const release = Promise.withResolvers<void>();
    origin.response = (request, connection) => void release.promise.then(() => echo(request, connection));
    const early = await Http3Client.connect(port);
    const request = await early.open("GET", "/x");
    await origin.until("the request", () => origin.requests[0]);
    for (const [i, withQuic] of [false, true].entries()) {
      write(port, withQuic);
      program.kill("SIGHUP");
      await until("the reload", () =>
        program.output.split(/(?:reloaded|Cannot reload) /).length > i + 1 ? true : undefined,
      );
    }
    expect(program.output).not.toContain("Cannot reload");
    release.resolve();
    expect((await request.response).headers[":status"]).toBe("200");
    early.close();
  } finally {
    await program.stop();
  }
});
