/** The draft that rules across keys read, and the report that they write. issue.ts has single values' problems. */
import { type Diagnostic, MAX_DIAGNOSTICS } from "./diagnostic.ts";
import { type ParsedConfig } from "./parse.ts";

/**
 * The valid parts of a configuration: a section or item with problems is undefined. Rules that compare several keys
 * read this, so that one mistake does not hide others.
 */
export type Draft = Omit<ParsedConfig["sections"], "upstreams" | "routes"> &
  Pick<ParsedConfig, "upstreams" | "routes"> & {
    /** The file's own value, without unknown keys. */
    readonly raw: unknown;
  };

/** Receives the diagnostics of rules. */
export interface Report {
  problem(path: string, message: string): void;
  warning(path: string, message: string): void;
  /** A warning that `--strict` accepts. */
  notice(path: string, message: string): void;
}

/** Makes the draft of a parsed configuration. */
export function draftOf(raw: unknown, { sections, upstreams, routes }: ParsedConfig): Draft {
  return { ...sections, upstreams, routes, raw };
}

/** A report that adds diagnostics to two lists, up to one more than are reported. */
export function gather(problems: Diagnostic[], warnings: Diagnostic[]): Report {
  return {
    problem: (path, message) => add(problems, { path, message }),
    warning: (path, message) => add(warnings, { path, message }),
    notice: (path, message) => add(warnings, { path, message, isNotice: true }),
  };
}

function add(list: Diagnostic[], diagnostic: Diagnostic): void {
  if (list.length <= MAX_DIAGNOSTICS) list.push(diagnostic);
}

/** The place of an earlier item with this key, if any; otherwise `place` is recorded as the first one. */
export function firstWith<T>(known: Map<string, T>, key: string, place: T): T | undefined {
  const other = known.get(key);
  if (other === undefined) known.set(key, place);
  return other;
}
