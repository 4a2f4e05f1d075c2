/** Names that the main branch may have. */
const MAIN = ["origin/main", "main"];

/**
 * The source files that changed: on a branch since it left the main branch; on the main branch since the last tag, or in the last
 * commit if there is no tag. Changes that are not committed count. Empty if this is not a checkout.
 */
export function changedSources(): string[] {
  const base = mergeBase() ?? git("describe", "--tags", "--abbrev=0") ?? git("rev-parse", "HEAD~1");
  if (base === undefined) return [];
  const changed = git("diff", "--name-only", "--diff-filter=d", base, "--", "src") ?? "";
  return changed.split("\n").filter((file) => file.endsWith(".ts"));
}

/** Undefined if the checkout is the main branch itself. */
function mergeBase(): string | undefined {
  const head = git("rev-parse", "HEAD");
  for (const name of MAIN) {
    const base = git("merge-base", "HEAD", name);
    if (base !== undefined && base !== head) return base;
  }
  return undefined;
}

/** The output of a Git command without blanks around it; undefined if it fails or Git is missing. */
function git(...command: readonly string[]): string | undefined {
  const program = Bun.which("git");
  if (program === null) return undefined;
  const { exitCode, stdout } = Bun.spawnSync([program, ...command], { stdio: ["ignore", "pipe", "ignore"] });
  return exitCode === 0 ? stdout.toString().trim() : undefined;
}
