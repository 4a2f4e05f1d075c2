import { expect, setDefaultTimeout, test } from "bun:test";
import { timeoutSignal } from "./timeout-signal.ts";
import { patient } from "../testing/patience.ts";
import { until } from "../testing/until.ts";

const PROGRAM = new URL("../testing/paused-fetch-program.ts", import.meta.url).pathname;
const TIMEOUT_MS = 400;

setDefaultTimeout(patient(20_000));

test("the signal aborts with a TimeoutError", async () => {
  const signal = timeoutSignal(1);
  expect(signal.aborted).toBe(false);
  await until(() => signal.aborted);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("a response that arrived while the process was suspended is read before the timeout", async () => {
  const asked = Promise.withResolvers<void>();
  const suspended = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch() {
      asked.resolve();
      await suspended.promise;
      return new Response("in time");
    },
  });
  const client = Bun.spawn([process.execPath, PROGRAM, server.url.href, String(patient(TIMEOUT_MS))], {
    stdout: "pipe",
  });
  try {
    await asked.promise;
    client.kill("SIGSTOP");
    suspended.resolve();
    await Bun.sleep(patient(TIMEOUT_MS) + 200);
    client.kill("SIGCONT");
    expect(await new Response(client.stdout).text()).toBe("in time");
  } finally {
    client.kill("SIGKILL");
    await client.exited;
    await server.stop(true);
  }
});
