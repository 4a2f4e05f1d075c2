import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchTimers } from "../../../../lib/testing/timers.ts";
import { until } from "../../../../lib/testing/until.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { ResponseFile } from "./response-file.ts";
import { SharedResponses } from "./shared-responses.ts";

const head = { status: 200, reason: "OK", fields: "Content-Type: text/plain\r\n", bodyLength: 9 };
const RESPONSE = { body: [Buffer.from("the "), Buffer.from("goods")], size: 9 };
const RECORD = { key: "payment", until: 61_000, head, trailers: "X: y\r\n" };

function fail(): Promise<never> {
  return Promise.reject(Object.assign(new Error("away"), { code: "connection" }));
}

function storeOf(kept: Map<string, Buffer>, changes: Partial<KeptResponses> = {}): KeptResponses {
  return {
    keep: async (key, response) => kept.set(key, Buffer.from(response)).has(key),
    has: async (key) => kept.has(key),
    find: async (key) => kept.get(key),
    sweep: async () => 0,
    ...changes,
  };
}

function sharedBy(store: KeptResponses): { responses: SharedResponses; logged: string[] } {
  const logged: string[] = [];
  return { responses: new SharedResponses({ store, now: () => 1000, log: (line) => logged.push(line) }), logged };
}

test("a kept response is read back whole, with its head and trailers", async () => {
  const kept = new Map<string, Buffer>();
  const times: number[] = [];
  const { responses } = sharedBy(
    storeOf(kept, {
      async keep(key, response, ms) {
        times.push(ms);
        kept.set(key, Buffer.from(response));
        return true;
      },
    }),
  );
  await responses.keep(RESPONSE, RECORD);
  const stored = await responses.get("payment");
  expect(stored?.body).toEqual(Buffer.from("the goods"));
  expect(stored?.record).toEqual(RECORD);
  expect(times).toEqual([60_000]);
  expect(await responses.get("another payment")).toBeUndefined();
  responses.close();
});

test("a changed response, or one of another payment, is not sent", async () => {
  const kept = new Map<string, Buffer>();
  const { responses } = sharedBy(storeOf(kept));
  await responses.keep(RESPONSE, RECORD);
  const whole = kept.get("payment") ?? Buffer.alloc(0);
  kept.set("stolen", whole);
  expect(await responses.get("stolen")).toBeUndefined();
  for (let i = 0; i < whole.length; i++) {
    const changed = Buffer.from(whole);
    changed[i] = (changed[i] ?? 0) ^ 1;
    kept.set("payment", changed);
    const stored = await responses.get("payment").catch(() => undefined);
    // Some bits of the footer have no meaning.
    if (stored !== undefined) expect(stored).toEqual({ body: Buffer.from("the goods"), record: RECORD });
  }
  responses.close();
});

test("a failing database stops no payment, is reported once, and a client can retry", async () => {
  const { responses, logged } = sharedBy({ keep: fail, has: fail, find: fail, sweep: fail });
  await responses.keep(RESPONSE, RECORD);
  expect(await responses.has("payment")).toBe(false);
  const error = await responses.get("payment").catch((caught: unknown) => caught);
  expect(error instanceof TurnpikeError && error.status).toBe(503);
  expect(logged).toEqual(["payment: cannot share kept responses with other gateways: connection"]);
  responses.close();
});

test.each<[string, (responses: SharedResponses) => Promise<unknown>]>([
  ["keep", (responses) => responses.keep(RESPONSE, RECORD)],
  ["has", (responses) => responses.has("payment")],
  ["find", (responses) => responses.get("payment").catch(() => undefined)],
  ["sweep", async () => undefined],
])(
  "a database that fails at %s is reported, again after a sweep that succeeds, and not after the end",
  async (name, use) => {
    let isAway = true;
    let sweeps = 0;
    const work = async (): Promise<undefined> => (isAway ? await fail() : undefined);
    const store = {
      keep: async () => true,
      has: async () => false,
      find: async () => undefined,
      [name]: work,
      sweep: async () => ((sweeps += 1), name === "sweep" ? await work() : undefined, 0),
    } as KeptResponses; // Each member is there.
    using timers = watchTimers((ms) => (ms === 5000 ? 1 : ms), "own");
    const { responses, logged } = sharedBy(store);
    for (let round = 0; round < 2; round++) {
      // A sweep can end after one that began later, and then the next failure is reported once more.
      const reported = logged.length;
      isAway = true;
      await use(responses);
      await until(() => logged.length > reported);
      isAway = false;
      const before = sweeps;
      await until(() => sweeps > before + 1);
    }
    responses.close();
    await until(() => timers.pending(5000) === 0);
    isAway = true;
    await use(responses);
    expect(new Set(logged)).toEqual(new Set(["payment: cannot share kept responses with other gateways: connection"]));
  },
);

test("a body in a file is shared up to 7 MiB, and up to 32 MiB of them are read at a time", async () => {
  const MIB = 1_048_576;
  const folder = mkdtempSync(join(tmpdir(), "turnpike-shared-"));
  let closed = 0;
  const fileOf = async (size: number): Promise<ResponseFile> => {
    const file = await ResponseFile.create(join(folder, String(size)), () => (closed += 1));
    await file.append(Buffer.alloc(size, "0123456789"));
    return file;
  };
  const [long, longer, rest, more] = await Promise.all([7 * MIB, 7 * MIB + 1, 4 * MIB, 4 * MIB + 1].map(fileOf));
  const kept = new Map<string, Buffer>();
  const { responses, logged } = sharedBy(storeOf(kept));
  const share = async (files: readonly (ResponseFile | undefined)[]): Promise<string> => {
    kept.clear();
    await Promise.all(
      files.map(async (body, i) => body && responses.keep({ body, size: body.size }, { ...RECORD, key: String(i) })),
    );
    return [...kept.keys()].toSorted().join("");
  };
  expect(await share([longer, long, long, long, long, more, rest])).toBe("12346");
  // A body counts only while it is read.
  expect(await share([long, long, long, long, more])).toBe("0123");
  expect(await share([more])).toBe("0");
  expect((await responses.get("0"))?.body).toEqual(Buffer.alloc(4 * MIB + 1, "0123456789"));
  for (const file of [long, longer, rest, more]) file?.release();
  await until(() => closed === 4);
  expect(logged).toEqual([]);
  responses.close();
  rmSync(folder, { recursive: true });
});
