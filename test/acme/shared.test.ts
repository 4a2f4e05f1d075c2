/** Certificates of two gateways with one database. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:tls";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasPostgres, sharedPostgres } from "../../src/store/testing/postgres.ts";
import { Folder, Program } from "../support/program.ts";
import { hasPebble, TestDirectory } from "./testing/test-directory.ts";

setDefaultTimeout(patient(60_000));

async function serialAt(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, servername: "both.test", rejectUnauthorized: false });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerX509Certificate()?.serialNumber ?? "";
  } finally {
    socket.destroy();
  }
}

describe.skipIf(!hasPebble || !hasPostgres)("with pebble and PostgreSQL", () => {
  test("one of two gateways orders, the other serves the challenge, and both show the certificate", async () => {
    const folder = new Folder();
    const [httpPort, tlsPort] = [await freePort(), await freePort()];
    const postgres = await sharedPostgres();
    const directory = await TestDirectory.start({ httpPort, tlsPort });
    const programs: Program[] = [];
    try {
      const user = await postgres.newUser();
      const start = (address: string, domains: readonly string[]): Program => {
        const listeners = [
          { address, port: httpPort },
          { address, port: tlsPort, use_tls: true },
        ];
        const config = {
          server: { workers: 2, listeners },
          tls: { acme: { domains, directory_url: directory.url, ca_path: directory.caPath, terms_agreed: true } },
          postgres: { url: `postgres://${user}@127.0.0.1:${postgres.port}/postgres?sslmode=disable` },
        };
        const program = new Program(["--config", folder.write(`${address}.json`, config)]);
        programs.push(program);
        return program;
      };
      // The second gateway orders nothing, and the directory checks only this gateway.
      await directory.resolve("both.test", "127.0.0.2");
      const first = start("127.0.0.2", ["other.test"]);
      await directory.resolve("other.test", "127.0.0.2");
      await first.sees(/got a certificate for other\.test/);
      const second = start("127.0.0.1", ["both.test"]);
      await second.sees(/got a certificate for both\.test/);
      const third = start("127.0.0.3", ["both.test"]);
      await third.sees(/listening on https/);
      expect(await serialAt("127.0.0.3", tlsPort)).toBe(await serialAt("127.0.0.1", tlsPort));
      expect(third.output).not.toContain("got a certificate");
      expect(directory.orders).toHaveLength(2);
    } finally {
      await Promise.all(programs.map((program) => program.stop()));
      await directory.close();
      folder.remove();
    }
  });
});
