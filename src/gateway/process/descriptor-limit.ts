import { readFileSync } from "node:fs";
import { type Config } from "../config/config.ts";

/** Descriptors that a process has beside its clients' connections and what they need: listeners, logs, the engine's own. */
const OTHERS = 64;

/** Files that this process may have open; Infinity where the system does not say. */
export function descriptorLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1");
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
    return soft === undefined || soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * What to tell an operator whose system gives a process fewer descriptors than the connections that the configuration lets in
 * may need; empty where it gives enough.
 */
export function descriptorWarning({ server, upstreams }: Config, limit = descriptorLimit()): string {
  const each = upstreams.length === 0 ? 1 : 2;
  const wanted = server.max_connections * each + OTHERS;
  if (limit >= wanted) return "";
  return (
    `warning: server.max_connections is ${server.max_connections}, for which a worker may need ${wanted} open files, ` +
    `and this system allows ${limit}: clients beyond that wait unanswered (ulimit -n, LimitNOFILE)`
  );
}
