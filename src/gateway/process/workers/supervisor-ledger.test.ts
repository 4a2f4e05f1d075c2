import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { TERMS } from "../../../payments/testing/payment.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { loadValue } from "../../config/load.ts";
import { SupervisorLedger } from "./supervisor-ledger.ts";

test("a supervisor creates no ledger in place of one that is gone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-supervisor-"));
  const path = join(folder, "turnpike.db");
  const { config, problems } = loadValue({
    server: { address: "127.0.0.1" },
    upstreams: [{ name: "site", servers: [{ address: "127.0.0.1", port: 1 }] }],
    x402: { enabled: true, test_mode: true },
    routes: [{ path_prefix: "/", upstream: "site", x402: TERMS }],
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  const ledger = new SupervisorLedger(path);
  expect(() => ledger.store(config)).toThrow(`Cannot open the ledger "${path}": there is no such file`);
  expect(existsSync(path)).toBe(false);
  await openStore(path).close();
  expect(ledger.store(config)).toBeDefined();
  await ledger.close();
  rmSync(folder, { recursive: true });
});
