/** The cost of a request beside time: system calls, allocations and collections. */
import { type Child, type Children, processTree } from "../support/children.ts";
import { isInstalled } from "../support/programs.ts";

/** Makes the runtime report each collection. */
export const TELLS_COLLECTIONS = { BUN_JSC_logGC: "1" };
/** Makes the runtime collect after a fixed number of allocated bytes, which it reports, and not when idle. */
export const TELLS_BYTES = {
  ...TELLS_COLLECTIONS,
  BUN_GC_TIMER_DISABLE: "1",
  BUN_JSC_percentCPUPerMBForEdenTimer: "0.000001",
  BUN_JSC_percentCPUPerMBForFullTimer: "0.000001",
  BUN_JSC_gcMaxHeapSize: String(2 * 1024 * 1024),
};

/** System calls that wait, receive or send, by what they do. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  wait: ["epoll_wait", "epoll_pwait", "epoll_pwait2", "poll"],
  receive: ["read", "readv", "recvfrom", "recvmsg"],
  send: ["write", "writev", "sendto", "sendmsg", "sendfile", "splice"],
  epoll_ctl: ["epoll_ctl"],
  madvise: ["madvise"],
  futex: ["futex"],
};
export const CALL_GROUPS = [...Object.keys(GROUPS), "other"];

/** System calls by group, from the table that `strace -c` prints. */
export function parseCalls(text: string): Map<string, number> {
  const calls = new Map<string, number>();
  for (const [, count = "0", name = ""] of text.matchAll(
    /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?([a-z_0-9]+)$/gm,
  )) {
    if (name === "total") continue;
    const group = Object.keys(GROUPS).find((candidate) => GROUPS[candidate]?.includes(name) === true) ?? "other";
    calls.set(group, (calls.get(group) ?? 0) + Number(count));
  }
  return calls;
}

/** Bytes that were allocated between collections, from the runtime's output with `TELLS_BYTES`. */
export function parseAllocated(log: string): number {
  let bytes = 0;
  for (const [, allocated = "0"] of log.matchAll(/bytes allocated this cycle: (\d+)/g)) bytes += Number(allocated);
  return bytes;
}

/** Collections, from the runtime's output with `TELLS_COLLECTIONS`. */
export function parseCollections(log: string): number {
  return [...log.matchAll(/=> (?:Eden|Full)Collection/g)].length;
}

/** The system calls of a process and its descendants while `work` runs; empty if strace is not installed or not permitted. */
export async function countCalls(
  children: Children,
  pid: number,
  work: () => Promise<void>,
): Promise<Map<string, number>> {
  if (!isInstalled("strace")) return new Map();
  const pids = processTree(pid).flatMap((one) => ["-p", String(one)]);
  const child: Child = children.spawn({ name: "strace", argv: ["strace", "-f", "-c", "-q", ...pids] });
  await Bun.sleep(100);
  await work();
  try {
    process.kill(child.pid, "SIGINT");
  } catch {
    return new Map();
  }
  await child.done;
  return parseCalls(child.output());
}
