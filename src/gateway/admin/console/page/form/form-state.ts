import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Diagnostic, type Json } from "../api/shapes.ts";
import { type Path, pathText } from "./schema.ts";

/** What the fields of a form share. */
export interface FormState {
  /** The document's value when the form was opened: tells what a secret field may go back to. */
  readonly original: Json | undefined;
  readonly change: (path: Path, value: Json | undefined) => void;
  readonly touch: (path: Path) => void;
  /** What the gateway says of this very place; nothing for places that were not reached yet. */
  readonly messagesAt: (path: Path) => readonly string[];
  /** How many messages there are at this place and below. */
  readonly countBelow: (path: Path) => number;
  /** Names that fit here, such as those of the upstreams. */
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

/** Paths of the whole configuration, as seen from one item of a list: `routes[3].cache.ttl_s` is `cache.ttl_s`. */
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

/** True where a path is a place's own or lies within it. */
export function isBelow(path: string, place: string): boolean {
  return place === "" || path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}
