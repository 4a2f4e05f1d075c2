/** A reload leaves no part of the configuration before it in memory, the one at the start included. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readConfig, type ReadConfig } from "../../src/cli/common/configuration.ts";
import { startAdministered } from "../../src/gateway/process/start-administered.ts";
import { startGateway } from "../../src/gateway/process/gateway/gateway.ts";
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

type Started<T> = readonly [gateway: T, before: readonly WeakRef<object>[]];

const OPTIONS = { storePath: ":memory:", reusePort: false, log(): void {} };

async function startWorker(): Promise<Started<Awaited<ReturnType<typeof startGateway>>>> {
  const { config } = await read(1);
  return [await startGateway({ ...OPTIONS, config }), [new WeakRef(config), new WeakRef(config.routes)]];
}

async function startWhole(): Promise<Started<Awaited<ReturnType<typeof startAdministered>>>> {
  const opened = await read(1);
  const parts = [opened.config, opened.config.routes, Object(opened.document)];
  return [await startAdministered(opened, OPTIONS), parts.map((part) => new WeakRef(part))];
}

test("a reload in a worker leaves nothing of the configuration at the start", async () => {
  const [gateway, before] = await startWorker();
  await gateway.reload((await read(2)).config);
  await collected(before);
  await gateway.close(0);
});

test("a reload of a gateway with its file leaves neither the document nor the configuration at the start", async () => {
  const [gateway, before] = await startWhole();
  write(2);
  expect((await gateway.config.reload({ kind: "signal", key: "-", address: "" })).kind).toBe("done");
  await collected(before);
  await gateway.close(0);
});
