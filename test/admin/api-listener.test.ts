import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY } from "../support/admin.ts";
import { makeCertificate, TEST_CA } from "../support/certificates.ts";
import { Folder, Program, until } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

async function withAdmin(
  options: Parameters<typeof Admin.start>[0],
  use: (admin: Admin) => Promise<void>,
): Promise<void> {
  const admin = await Admin.start(options);
  try {
    await use(admin);
  } finally {
    await admin.stop();
  }
}

async function statusAt(url: string): Promise<number | string> {
  try {
    return (await fetch(`${url}/v1/status`, { headers: { "x-api-key": KEY }, tls: { ca: TEST_CA.cert } })).status;
  } catch {
    return "refused";
  }
}

test("a port in use is a clear error, and nothing is served", async () => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const folder = new Folder();
  const config = {
    server: { address: "127.0.0.1", port: 0, workers: 2 },
    admin: { enabled: true, port: taken.port, api_key: KEY },
  };
  const program = new Program(["--config", folder.write("t.json", config)]);
  expect(await program.exit()).toBe(1);
  expect(program.output).toContain(
    `Cannot listen on 127.0.0.1:${taken.port} for the admin interface: the port is in use; stop what uses it, or choose another with admin.port`,
  );
  expect(program.output).not.toContain("listening on");
  taken.stop(true);
  folder.remove();
});

test("a change of the admin port gets its response on the old port, and then the interface is on the new port", () =>
  withAdmin({ workers: 2 }, async (admin) => {
    const config = (await admin.call("GET", "/v1/config")).body;
    const port = await freePort();
    const moved = await admin.call("PUT", "/v1/config", { body: { ...config, admin: { ...config.admin, port } } });
    expect([moved.status, moved.body.ok]).toEqual([200, true]);
    expect(await statusAt(`http://127.0.0.1:${port}`)).toBe(200);
    await until("the old port is let go", async () => ((await statusAt(admin.url)) === "refused" ? true : undefined));
  }));

test("a port that is in use refuses the whole reload", () =>
  withAdmin({ workers: 2 }, async (admin) => {
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const config = (await admin.call("GET", "/v1/config")).body;
    const other = { ...config, admin: { ...config.admin, port: taken.port }, compression: { enabled: true } };
    const refused = await admin.call("PUT", "/v1/config", { body: other });
    expect([refused.status, refused.body.code]).toEqual([500, "change_failed"]);
    expect(refused.body.detail).toContain(`127.0.0.1:${taken.port} for the admin interface: the port is in use`);
    expect((await admin.call("GET", "/v1/config")).body).toEqual(config);
    taken.stop(true);
    // If the interface cannot start for another reason, the port is closed again.
    const port = await freePort();
    const busy = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const traffic = { ...config, admin: { ...config.admin, port }, server: { ...config.server, port: busy.port } };
    expect((await admin.call("PUT", "/v1/config", { body: traffic })).status).toBe(500);
    expect(await statusAt(`http://127.0.0.1:${port}`)).toBe("refused");
    expect((await admin.call("GET", "/v1/status")).status).toBe(200);
    busy.stop(true);
  }));

test("a reload turns the interface off, which ends its streams, and a signal turns it on again", () =>
  withAdmin({}, async (admin) => {
    const config = (await admin.call("GET", "/v1/config")).body;
    const stream = await admin.fetch("GET", "/v1/events");
    const off = await admin.call("PUT", "/v1/config?force=true", {
      body: { ...config, admin: { ...config.admin, enabled: false } },
    });
    expect(off.status).toBe(200);
    await stream.text().catch(() => "");
    await until("it is off", async () => ((await statusAt(admin.url)) === "refused" ? true : undefined));
    const port = await freePort();
    admin.folder.write("turnpike.json", { ...config, admin: { enabled: true, port, api_key: KEY } });
    admin.program.kill("SIGHUP");
    await until("it is on", async () => ((await statusAt(`http://127.0.0.1:${port}`)) === 200 ? true : undefined));
  }));

/** The serial number of the served certificate. */
async function serialAt(url: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port), ca: TEST_CA.cert }, () => {
    resolve(socket.getPeerCertificate().serialNumber);
    socket.destroy();
  });
  socket.once("error", reject);
  return await promise;
}

test("a reload reads the certificate again, and a broken certificate fails the reload", () =>
  withAdmin({ tls: true }, async (admin) => {
    const before = await serialAt(admin.url);
    const renewed = makeCertificate({ issuer: TEST_CA, hostnames: ["localhost", "127.0.0.1"] });
    admin.folder.write("admin.crt", renewed.cert);
    const refused = await admin.call("POST", "/v1/reload");
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("belongs to another")]);
    expect(await serialAt(admin.url)).toBe(before);
    admin.folder.write("admin.key", renewed.key);
    expect((await admin.call("POST", "/v1/reload")).status).toBe(200);
    expect(await serialAt(admin.url)).not.toBe(before);
  }));

test("SIGTERM ends event streams after what is in flight, and the program", () =>
  withAdmin({ workers: 2 }, async (admin) => {
    const stream = await admin.fetch("GET", "/v1/events?since=0");
    const ended = stream.text();
    admin.program.kill("SIGTERM");
    expect(await admin.program.exit()).toBe(0);
    expect(await ended).toContain("retry:");
    expect(await statusAt(admin.url)).toBe("refused");
  }));
