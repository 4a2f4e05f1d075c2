import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Diagnostic, type Json } from "../api/shapes.ts";
import { type Path, pathText } from "./schema.ts";

/** Shared by the fields of a form. */
export interface FormState {
  /** The document's value when the form was opened. A secret field can be reset to it. */
  readonly original: Json | undefined;
  readonly change: (path: Path, value: Json | undefined) => void;
  readonly touch: (path: Path) => void;
  /** The gateway's messages about exactly this place; empty until the user has reached it. */
  readonly messagesAt: (path: Path) => readonly string[];
  /** The number of messages at this place and below. */
  readonly countBelow: (path: Path) => number;
  /** Valid names for this key, such as those of the upstreams. */
  readonly namesFor: (key: string) => readonly string[] | undefined;
}

const CONTEXT = createContext<FormState | undefined>(undefined);
export const FormScope = CONTEXT.Provider;

export function useForm(): FormState {
  const form = useContext(CONTEXT);
  if (form === undefined) throw new Error("Cannot show a field: it is in no form");
  return form;
}

export function fieldId(path: Path): string {
  return `field-${pathText(path)}`;
}

/**
 * Splits diagnostics of the whole configuration into those of one list item and all others. Paths of the item become
 * relative: `routes[3].cache.ttl_s` becomes `cache.ttl_s`.
 */
export function within(diagnostics: readonly Diagnostic[], section: string, index: number) {
  const own: Diagnostic[] = [];
  const others: Diagnostic[] = [];
  const head = `${section}[${index}]`;
  for (const diagnostic of diagnostics) {
    const { path, message } = diagnostic;
    if (path === head || path.startsWith(`${head}.`)) own.push({ path: path.slice(head.length + 1), message });
    else others.push(diagnostic);
  }
  return { own, others };
}

function isOfList({ path }: Diagnostic): boolean {
  return isBelow(path, "routes") || isBelow(path, "upstreams");
}

/** Splits diagnostics of the whole configuration into those of settings, and those of routes and upstreams. */
export function ofSettings(diagnostics: readonly Diagnostic[]) {
  return { own: diagnostics.filter((one) => !isOfList(one)), others: diagnostics.filter(isOfList) };
}

/** True if `path` is `place` or lies within it. */
export function isBelow(path: string, parent: string): boolean {
  return parent === "" || path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[`);
}
