/** What loading says about a file, and where in it: zod's issues (issue.ts) and broken rules (draft.ts) end as such. */
import { type FieldError } from "../../lib/errors.ts";
import { type TextPosition, positionText } from "./json.ts";

/** A problem or a warning: where in the file, as `routes[2].upstream`, and what; an empty path is the whole file. */
export interface Diagnostic extends FieldError {
  /** Where in the file's text; undefined if there is no text, or nothing of the path in it. */
  readonly position?: TextPosition;
}

/** A finding as one line of text: `line 3, column 5: routes[0].upstream: ...`. */
export function diagnosticText({ position, path, message }: Diagnostic): string {
  return `${position === undefined ? "" : `${positionText(position)}: `}${path === "" ? "" : `${path}: `}${message}`;
}

/** `["routes", 2, "upstream"]` as `routes[2].upstream`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w$-]+$/.test(String(part))) text += text === "" ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

/** The value at a path, or undefined where there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}

/** The list at a path, empty where there is none. */
export function listAt(value: unknown, path: readonly PropertyKey[]): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}

/**
 * Values of these keys are never repeated in a finding, nor is a string in the place of an object that holds one. URLs
 * are among them, since many a service wants its key there.
 */
const SECRET =
  /(?:^|\.)(?:\w*_url|admin|auth|secret|token|api_key|payment_required_b64)$|^admin\.\w*key\w*$|\.auth\.(?!(?:.*\.)?(?:type|algorithm)$)|\.upstream_headers(?:\[\d+\](?:\.value)?)?$|^otel\.headers$|^postgres(?:\.url|\.password_env)?$|\.catalog_discovery$|\.health_check\.path$|^wasm_filters\[\d+\]\.(?:vm_)?config$|\.match\.headers\[\d+\](?:\.value)?$|\.headers\.request\.(?:set|add)\[\d+\](?:\.value)?$/;

const MAX_SHOWN = 80;

/** What was found at `path`, for a message: the value, or only its kind where it may be a secret. */
export function describeFound(path: string, value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (SECRET.test(path)) return `a ${typeof value}`;
  const shown = JSON.stringify(value) ?? typeof value;
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}
