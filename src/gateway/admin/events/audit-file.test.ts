import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { smallDisk } from "../../../lib/testing/small-disk.ts";
import { until } from "../../../lib/testing/until.ts";
import { AuditFile } from "./audit-file.ts";
import { EventLog } from "./event-log.ts";

let folder: string;
let path: string;
let events: EventLog;
let logged: string[];
let audit: AuditFile;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-audit-"));
  path = join(folder, "audit.log");
  events = new EventLog();
  logged = [];
  audit = new AuditFile(events, (message) => void logged.push(message));
});

afterEach(async () => {
  await audit.close();
  rmSync(folder, { recursive: true, force: true });
});

function lines(file = path): Record<string, unknown>[] {
  const text = readFileSync(file, "utf8");
  expect(text === "" || text.endsWith("\n")).toBeTrue();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function change(message: string): void {
  const by = { kind: "operator", key: "api_key", address: "192.0.2.1" } as const;
  events.add({ kind: "change", message, by, outcome: "done" });
}

test("every event is a line with actor, action, time and outcome, and log lines are left out", async () => {
  await audit.use(path);
  change('route "/a" added\nand a second line');
  events.addLine("a line of the log");
  events.add({ kind: "worker", message: "worker 1 ended" });
  await until(() => lines().length === 2);
  const [first, second] = lines();
  expect(first).toMatchObject({
    kind: "change",
    message: 'route "/a" added\nand a second line',
    by: { kind: "operator", key: "api_key", address: "192.0.2.1" },
    outcome: "done",
  });
  expect(Math.abs(Number(first?.["time_ms"]) - Date.now())).toBeLessThan(60_000);
  expect(second).toMatchObject({ kind: "worker" });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("after a rotation lines go to the new file, and no line is lost or cut", async () => {
  await audit.use(path);
  let count = 0;
  const rotated = Array.from({ length: 5 }, (_, i) => `${path}.${i}`);
  for (const old of rotated) {
    for (let i = 0; i < 100; i++) change(`change ${count++}`);
    renameSync(path, old);
    for (let i = 0; i < 100; i++) change(`change ${count++}`);
    await audit.reopen();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  const all = (): unknown[] => [...rotated, path].flatMap((file) => lines(file).map(({ message }) => message));
  await until(() => all().length === count);
  expect(all()).toEqual(Array.from({ length: count }, (_, i) => `change ${i}`));
});

test("a new path is used from then on, and a path that cannot be opened changes nothing", async () => {
  await audit.use(path);
  const refused = audit.use(join(folder, "absent", "audit.log"));
  expect(refused).rejects.toThrow(/^Cannot write the audit log ".*": ENOENT$/);
  await refused.catch(() => {});
  change("first");
  const other = join(folder, "other.log");
  await audit.use(other);
  change("second");
  await audit.close();
  change("third");
  expect([lines(), lines(other)].map((file) => file.map(({ message }) => message))).toEqual([["first"], ["second"]]);
});

test("a failed reopening is logged, and the old file stays in use", async () => {
  await audit.use(path);
  rmSync(path);
  mkdirSync(path);
  await audit.reopen();
  expect(logged).toEqual([`Cannot reopen the audit log "${path}": EISDIR; the old file stays in use`]);
  expect(events.since(0)).toMatchObject([{ kind: "log_file" }]);
});

test("a full disk is logged once, delays nothing, and leaves only whole lines", async () => {
  using disk = smallDisk("4m");
  if (!disk.isMounted) return;
  const file = join(disk.path, "audit.log");
  const filler = join(disk.path, "filler");
  // When it is deleted, it frees enough space for all lines of the rest of the test.
  writeFileSync(filler, Buffer.alloc(4 * 1024 * 1024 - 16_384));
  await audit.use(file);
  let count = 0;
  while (logged.length === 0 && count < 2000) {
    const { size } = statSync(file);
    change(`change ${count++} ${"x".repeat(900)}`);
    await until(() => logged.length > 0 || statSync(file).size !== size);
  }
  expect(logged).toEqual([
    `warning: Cannot write the audit log "${file}": ENOSPC. Lines are lost until it can be written again`,
  ]);
  // The incomplete line on the full disk is removed.
  await until(() => readFileSync(file, "utf8").endsWith("\n"));
  expect(lines(file).length).toBeGreaterThan(5);
  for (let i = 0; i < 20; i++) change(`change ${count++}`);
  rmSync(filler);
  await until(() => {
    change("after");
    return logged.length > 1;
  });
  expect(logged[1]).toMatch(/^The audit log ".*" can be written again: \d+ lines were lost$/);
  await audit.close();
  const messages = lines(file).map(({ message }) => String(message));
  expect(messages.filter((message) => message === "after").length).toBeGreaterThan(0);
  expect(messages.every((message) => /^after$|^change \d+|audit log/.test(message))).toBeTrue();
});
