import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { until } from "../../../lib/testing/until.ts";
import { descendantsOf } from "../../testing/processes.ts";
import { runWhenIdle } from "./idle-policy.ts";
import { processFacts, threadsOf } from "./process-table.ts";
import { type PROCESS_LIMITS, ProcessWatch } from "./process-watch.ts";
import { patient } from "../../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));
const PATIENCE_MS = 30_000;

const SPIN = "while :; do :; done";
const REST = "while :; do sleep 1; done";

const started: Bun.Subprocess[] = [];
afterEach(async () => {
  for (const process of started.splice(0)) {
    for (const { pid } of descendantsOf(process.pid)) killQuietly(pid);
    process.kill("SIGKILL");
    await process.exited;
  }
});

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process ended by itself.
  }
}

/** Imitates a browser: a process that runs `own`, and below it processes of one type, which run `scripts`. */
async function startFamily(
  own: string,
  scripts: readonly string[],
  type = "renderer",
): Promise<{ main: number; children: () => number[] }> {
  const script = scripts.map((text) => `bash -c '${text}' bash --type=${type} & `).join("");
  const process = Bun.spawn(["bash", "-c", `${script}${own}`], { stdio: ["ignore", "ignore", "ignore"] });
  started.push(process);
  const children = (): number[] =>
    descendantsOf(process.pid)
      .filter(({ command }) => command.includes(`bash --type=${type}`))
      .map(({ pid }) => pid);
  await until(() => children().length === scripts.length, PATIENCE_MS);
  return { main: process.pid, children };
}

/** Milliseconds of CPU time that a process has used; 0 if it has ended. */
const cpuMs = (pid: number): number => processFacts(pid)?.cpuMs ?? 0;

function watching(main: number, limits: Partial<typeof PROCESS_LIMITS> = {}, clock?: () => number): ProcessWatch {
  const watch = new ProcessWatch(main, limits, clock);
  watch.enter();
  return watch;
}

test("a page's process that uses too much processor time ends, and no other", async () => {
  const { main, children } = await startFamily(REST, [SPIN, REST]);
  const watch = watching(main, { rendererCpuMs: 200 });
  await until(() => children().length === 1, PATIENCE_MS);
  expect(watch.killed).toBe(1);
  expect(processFacts(main)).toBeDefined();
  watch.leave();
});

test("a process that is killed for its own use explains one crash; a process that others brought down explains no crash", async () => {
  const alone = await startFamily(REST, [REST]);
  const watch = watching(alone.main, { rendererThreads: 0 });
  expect(watch.claimExcess()).toBe(false);
  await until(() => watch.killed === 1, PATIENCE_MS);
  watch.leave();
  expect([watch.claimExcess(), watch.claimExcess()]).toEqual([true, false]);
  const together = await startFamily(REST, [REST, REST]);
  const other = watching(together.main, { allRenderersBytes: 1 });
  await until(() => other.killed > 0, PATIENCE_MS);
  other.leave();
  expect(other.claimExcess()).toBe(false);
});

test("a kill explains a crash within three seconds of the process's end, and no later one", async () => {
  const { main, children } = await startFamily(REST, [REST, REST, REST]);
  const [first = 0, second = 0, third = 0] = children();
  let now = 5000;
  const watch = watching(main, { rendererThreads: 0 }, () => now);
  await until(() => watch.killed === 3, PATIENCE_MS);
  watch.leave();
  await until(() => [first, second, third].every((pid) => processFacts(pid) === undefined), PATIENCE_MS);
  now += 60_000;
  expect(watch.claimExcess()).toBe(true);
  now += 3000;
  expect(watch.claimExcess()).toBe(true);
  now += 1;
  expect(watch.claimExcess()).toBe(false);
});

test("a kill explains no crash of a page that was opened after all others were closed", async () => {
  const { main } = await startFamily(REST, [REST]);
  const watch = watching(main, { rendererThreads: 0 });
  await until(() => watch.killed === 1, PATIENCE_MS);
  watch.leave();
  watch.enter();
  expect(watch.claimExcess()).toBe(false);
  watch.leave();
});

test.each<[string, Partial<typeof PROCESS_LIMITS>]>([
  ["too many threads", { rendererThreads: 0 }],
  ["too much memory", { rendererBytes: 1 }],
])("a page's process with %s ends", async (_what, limits) => {
  const { main, children } = await startFamily(REST, [REST]);
  const watch = watching(main, limits);
  await until(() => children().length === 0, PATIENCE_MS);
  watch.leave();
});

test("the process that draws ends if it never pauses, though its page was closed meanwhile", async () => {
  const { main, children } = await startFamily(REST, [SPIN], "gpu-process");
  const watch = watching(main, { drawingCpuMs: 1_000 });
  const [drawing = 0] = children();
  await until(() => cpuMs(drawing) > 300, PATIENCE_MS);
  watch.leave();
  await until(() => children().length === 0, PATIENCE_MS);
  expect(watch.killed).toBe(0);
});

test("the process that draws ends if it never pauses, though it got no processor when its page was closed", async () => {
  const { main, children } = await startFamily(REST, [SPIN], "gpu-process");
  const watch = watching(main, { drawingCpuMs: 1_000 });
  const [drawing = 0] = children();
  await until(() => cpuMs(drawing) > 300, PATIENCE_MS);
  const others = Array.from({ length: 2 * availableParallelism() }, () => Bun.spawn(["bash", "-c", SPIN]));
  started.push(...others);
  runWhenIdle(drawing);
  await until(() => others.every(({ pid }) => cpuMs(pid) > 300), PATIENCE_MS);
  watch.leave();
  await until(() => others.every(({ pid }) => cpuMs(pid) > 600), PATIENCE_MS);
  for (const { pid } of others) killQuietly(pid);
  await until(() => children().length === 0, PATIENCE_MS);
});

test("if pages use too much memory together, the largest process ends", async () => {
  const { main, children } = await startFamily(REST, [REST, `x=$(printf %20000000d 1); ${REST}`]);
  const bytes = (): number[] => children().map((pid) => processFacts(pid)?.residentBytes ?? 0);
  await until(() => Math.max(...bytes()) > 20_000_000, PATIENCE_MS);
  const watch = watching(main, { allRenderersBytes: 20_000_000 });
  await until(() => children().length === 1, PATIENCE_MS);
  expect(Math.max(...bytes())).toBeLessThan(20_000_000);
  watch.leave();
});

/** The scheduling policy of a thread in the format of /proc/PID/stat: 5 is SCHED_IDLE. */
function policyOf(thread: number): string | undefined {
  const text = readFileSync(`/proc/${thread}/stat`, "latin1");
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[38];
}

test("a page's process that uses much CPU time runs only when no other process wants the processor, with all its threads", async () => {
  const { main, children } = await startFamily(REST, [SPIN]);
  // Below the time from which its priority falls, which would leave it no CPU time on a busy machine.
  const watch = watching(main, { idleCpuMs: 200 });
  const [burning = 0] = children();
  await until(() => threadsOf(burning).every((thread) => policyOf(thread) === "5"), PATIENCE_MS);
  watch.leave();
});

test("if the main process is flooded, the page's process with the most CPU time ends; if it is idle, no process does", async () => {
  const flooded = await startFamily(SPIN, [SPIN, REST]);
  const watch = watching(flooded.main, { reliefCpuMs: 200 });
  const tell = setInterval(() => watch.relieve(), 10);
  await until(() => flooded.children().length === 1, PATIENCE_MS);
  clearInterval(tell);
  watch.leave();
  const resting = await startFamily(REST, [SPIN]);
  const other = watching(resting.main, { reliefCpuMs: 200 });
  const [burning = 0] = resting.children();
  await until(() => cpuMs(burning) > 250, PATIENCE_MS);
  other.relieve();
  expect(other.killed).toBe(0);
  other.leave();
});
