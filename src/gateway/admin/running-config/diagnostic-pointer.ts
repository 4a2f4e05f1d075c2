import { type Diagnostic } from "../../config/diagnostic.ts";
import { pointerTo } from "./text/json-difference.ts";
import { type EditDiagnostic } from "./running-config.ts";

const PART = /\.?([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy;

/** Parses the path of a diagnostic: `routes[2].upstream` becomes `["routes", 2, "upstream"]`. @internal */
export function parsePath(path: string): (string | number)[] {
  return [...path.matchAll(PART)].map(([, name, index, quoted]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? (name ?? "") : String(JSON.parse(quoted));
  });
}

/**
 * The place of a diagnostic in the value that the client sent. `at` is the place of this value in the document.
 * Undefined if the diagnostic lies outside it. @internal
 */
export function pointerOf(path: string, at: readonly (string | number)[]): string | undefined {
  const parts = parsePath(path);
  if (!at.every((part, i) => parts[i] === part)) return undefined;
  return pointerTo(parts.slice(at.length));
}

/** The diagnostics with their places in the value that the client sent. `at` is the place of this value in the document. */
export function diagnosticsIn(diagnostics: readonly Diagnostic[], at: readonly (string | number)[]): EditDiagnostic[] {
  return diagnostics.map((diagnostic) => {
    const pointer = pointerOf(diagnostic.path, at);
    return pointer === undefined ? diagnostic : { ...diagnostic, pointer };
  });
}
