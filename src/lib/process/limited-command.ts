/** Limits of a process that reads files of strangers. The kernel ends it beyond the first one, and refuses it more of the second. */
export interface ProcessLimits {
  readonly cpuSeconds: number;
  /** Bytes of its data (`RLIMIT_DATA`), or of all its addresses (`RLIMIT_AS`), which count what it only reserves. */
  readonly memory: { readonly kind: "data" | "addresses"; readonly bytes: number };
}

/** Limits apply before the program starts, because some programs adapt to them only then. No core is dumped. */
const LIMITED = 'ulimit -t "$1" && ulimit "$2" "$3" && ulimit -c 0 && shift 3 && exec "$@"';

/** The command that runs a program with its arguments under limits. */
export function limitedCommand(command: readonly string[], { cpuSeconds, memory }: ProcessLimits): string[] {
  const kind = { data: "-d", addresses: "-v" }[memory.kind];
  return ["/bin/sh", "-c", LIMITED, "sh", `${cpuSeconds}`, kind, `${Math.floor(memory.bytes / 1024)}`, ...command];
}
