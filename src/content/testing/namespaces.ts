const TRY = "--user --net --mount --pid --ipc --uts --map-root-user --fork --mount-proc true".split(" ");

function reasonAgainst(): string | undefined {
  if (Bun.which("unshare") === null) return "the program unshare is missing";
  const { exitCode, stderr } = Bun.spawnSync(["unshare", ...TRY], { stdio: ["ignore", "ignore", "pipe"] });
  return exitCode === 0 ? undefined : stderr.toString().trim();
}

const reason = reasonAgainst();
if (reason !== undefined) console.warn(`Tests of browsers by the minute are skipped: no namespaces here: ${reason}`);

/** Whether the system lets this user make namespaces. No package brings them, so tests that need them are skipped in CI too. */
export const hasNamespaces = reason === undefined;
