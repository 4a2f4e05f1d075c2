import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AccessLogConfig } from "../../config/config.ts";
import { until } from "../../../lib/testing/until.ts";
import { onlySlot, Telemetry } from "../../telemetry/telemetry.ts";
import { LogTrouble } from "./log-trouble.ts";
import { HiddenParameters } from "../../exchange/hidden-parameters.ts";
import { type LogLease, LogFiles, openAccessLog } from "./log-files.ts";

let folder: string;
let files: LogFiles;
const slot = onlySlot();
const telemetry = new Telemetry(slot);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-logs-"));
  files = new LogFiles(telemetry.counts, new LogTrouble(slot, () => {}));
});

afterEach(async () => {
  await files.close();
  rmSync(folder, { recursive: true });
});

/** The number of descriptors that this process has of the file. */
function openCount(path: string): number {
  const targets = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target === path).length;
}

async function write(lease: LogLease, path: string, text: string): Promise<void> {
  const { writer } = await lease.open(path);
  writer.begin()?.text(text);
  writer.end();
}

test("configurations that name the same log share it, and the last one closes it", async () => {
  const path = join(folder, "a.log");
  const [one, other] = [files.lease(), files.lease()];
  for (const lease of [one, other, other]) await lease.open(path);
  expect(openCount(path)).toBe(1);
  one.close();
  await write(other, path, "still open");
  other.close();
  await until(() => openCount(path) === 0);
  expect(readFileSync(path, "utf8")).toBe("still open\n");
});

test("a log has the lines of its format, for a share of the requests", async () => {
  const lease = files.lease();
  const hidden = new HiddenParameters([]);
  const settings = { path: join(folder, "a.log"), format: "json", sample_rate: 25 } as const;
  const json = await openAccessLog(settings as AccessLogConfig, lease, hidden);
  const combined = await openAccessLog({ ...settings, format: "combined" } as AccessLogConfig, lease, hidden);
  expect([json.share, json.tellsUpstream, combined.tellsUpstream]).toEqual([0.25, true, false]);
  expect([json.line.name, combined.line.name]).toEqual(["jsonLine", "combinedLine"]);
  lease.close();
});

test("a log without a configuration stays open for requests in flight", async () => {
  const path = join(folder, "a.log");
  const lease = files.lease();
  const file = await lease.open(path);
  file.began();
  file.began();
  lease.close();
  file.ended();
  file.writer.begin()?.text("late");
  file.writer.end();
  expect(openCount(path)).toBe(1);
  file.ended();
  await until(() => openCount(path) === 0);
  expect(readFileSync(path, "utf8")).toBe("late\n");
});

test("a log that is named again before its last request ends stays the same", async () => {
  const path = join(folder, "a.log");
  const lease = files.lease();
  const file = await lease.open(path);
  file.began();
  lease.close();
  const next = files.lease();
  expect(await next.open(path)).toBe(file);
  file.ended();
  expect(openCount(path)).toBe(1);
  next.close();
  await until(() => openCount(path) === 0);
});

test("closing waits until logs that were just released are written", async () => {
  const path = join(folder, "a.log");
  const lease = files.lease();
  await write(lease, path, "last");
  lease.close();
  await files.close();
  expect([openCount(path), readFileSync(path, "utf8")]).toEqual([0, "last\n"]);
});

test("reopening follows a renamed file, and tells which log could not be opened again", async () => {
  const [moved, broken] = [join(folder, "moved.log"), join(folder, "broken.log")];
  const lease = files.lease();
  for (const path of [moved, broken]) await write(lease, path, "before");
  await until(() => [moved, broken].every((path) => readFileSync(path, "utf8") === "before\n"));
  for (const path of [moved, broken]) renameSync(path, `${path}.1`);
  mkdirSync(broken);
  expect(await files.reopen()).toEqual([`Cannot reopen the access log "${broken}": EISDIR`]);
  for (const path of [moved, broken]) await write(lease, path, "after");
  lease.close();
  await files.close();
  expect(readFileSync(moved, "utf8")).toBe("after\n");
  expect(readFileSync(`${moved}.1`, "utf8")).toBe("before\n");
  expect(readFileSync(`${broken}.1`, "utf8")).toBe("before\nafter\n");
});
