/** A reload leaves no part of the configuration before it in memory, the one at the start included. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readConfig, type ReadConfig } from "../../src/cli/configuration.ts";
import { startAdministered } from "../../src/gateway/process/administered-gateway.ts";
import { startGateway } from "../../src/gateway/process/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Folder, until } from "../support/program.ts";

setDefaultTimeout(patient(30_000));

const folder = new Folder();
afterAll(() => folder.remove());

function write(timeout: number): string {
  return folder.write("turnpike.json", {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    access_log: { enabled: false },
    upstreams: [{ name: "a", servers: [{ address: "127.0.0.1", port: 9 }] }],
    routes: [{ path_prefix: "/", upstream: "a", read_timeout_ms: timeout }],
  });
}

function read(timeout: number): Promise<ReadConfig> {
  return readConfig({ path: write(timeout), flags: {} });
}

/** Waits until nothing refers to the objects. */
async function collected(objects: readonly WeakRef<object>[]): Promise<void> {
  await until("the collection", () => {
    Bun.gc(true);
    return objects.every((object) => object.deref() === undefined) || undefined;
  });
}

test("a reload in a worker leaves nothing of the configuration at the start", async () => {
  const options = { storePath: ":memory:", reusePort: false, log: () => {} };
  const start = async (): Promise<[Awaited<ReturnType<typeof startGateway>>, WeakRef<object>[]]> => {
    const { config } = await read(1);
    return [await startGateway({ ...options, config }), [new WeakRef(config), new WeakRef(config.routes)]];
  };
  const [gateway, before] = await start();
  await gateway.reload((await read(2)).config);
  await collected(before);
  await gateway.close(0);
});

test("a reload of a gateway with its file leaves neither the document nor the configuration at the start", async () => {
  const start = async (): Promise<[Awaited<ReturnType<typeof startAdministered>>, WeakRef<object>[]]> => {
    const opened = await read(1);
    const gateway = await startAdministered(opened, { storePath: ":memory:", reusePort: false, log: () => {} });
    return [gateway, [opened.config, opened.config.routes, Object(opened.document)].map((part) => new WeakRef(part))];
  };
  const [gateway, before] = await start();
  write(2);
  expect((await gateway.config.reload({ kind: "signal", key: "-", address: "" })).kind).toBe("done");
  await collected(before);
  await gateway.close(0);
});
