/** When a gateway says that its admin interface has moved. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readConfig } from "../../src/cli/common/configuration.ts";
import { startAdministered } from "../../src/gateway/process/start-administered.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Folder } from "../support/program.ts";

setDefaultTimeout(patient(30_000));

const folder = new Folder();
afterAll(() => folder.remove());

function write(isServed: boolean): string {
  return folder.write("turnpike.json", {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    access_log: { enabled: false },
    admin: { enabled: isServed, port: 0, api_key: "0123456789abcdef0123456789abcdef" },
  });
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}

test("a gateway announces the end of its admin interface before the port is free, and the start when it serves", async () => {
  const announced: (readonly [url: string | undefined, isPortFree: boolean])[] = [];
  let port = 0;
  const gateway = await startAdministered(await readConfig({ path: write(true), flags: {} }), {
    storePath: ":memory:",
    reusePort: false,
    log() {},
    onAdminMoved: (url) => announced.push([url, isFree(url === undefined ? port : Number(new URL(url).port))]),
  });
  port = gateway.adminPort ?? 0;
  const reload = async (isServed: boolean): Promise<void> => {
    write(isServed);
    expect((await gateway.config.reload({ kind: "signal", key: "-", address: "" })).kind).toBe("done");
  };
  await reload(false);
  expect(announced).toEqual([[undefined, false]]);
  await reload(true);
  expect(announced.slice(1)).toEqual([[gateway.adminUrl, false]]);
  expect(gateway.adminUrl).toBeDefined();
  await gateway.close(0);
});
