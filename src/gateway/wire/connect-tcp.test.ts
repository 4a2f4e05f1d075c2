import { expect, test } from "bun:test";
import { Program, until } from "../../../test/support/program.ts";
import { attempts, SWALLOWER } from "../../../test/support/swallower.ts";
import { connectTcp } from "./connect-tcp.ts";
import { DEAF } from "./tcp.ts";
import { connectTls, trustOf } from "./tls-connect.ts";
import { isInstalled } from "../../lib/testing/installed.ts";

function rethrow(error: unknown): never {
  throw error;
}

test.skipIf(!isInstalled("python3"))(
  "an aborted attempt leaves no socket, with and without TLS (skipped without python3)",
  async () => {
    const swallower = new Program(["-c", SWALLOWER], { command: ["python3"] });
    const [line] = await swallower.sees(/\d+\n/);
    const endpoint = { address: "127.0.0.1", port: Number(line) };
    const tls = { verify: true, serverName: "", protocols: [], trust: trustOf("") };
    const before = attempts(endpoint.port);
    for (const open of [
      () => connectTcp(endpoint, () => DEAF, rethrow),
      () => connectTls(endpoint, tls, () => DEAF, rethrow),
    ]) {
      const connecting = open();
      await until("the attempt is under way", () => (attempts(endpoint.port) === before + 1 ? true : undefined));
      connecting.abort();
      expect(connecting.done).rejects.toThrow();
      await until("the attempt is gone", () => (attempts(endpoint.port) === before ? true : undefined));
    }
    swallower.kill("SIGKILL");
    await swallower.exit();
  },
);
