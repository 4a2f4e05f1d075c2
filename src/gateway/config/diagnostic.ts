/** Diagnostics of a configuration file. They are made from zod's issues (issue.ts) and from broken rules (draft.ts). */
import { type FieldError } from "../../lib/errors.ts";
import { type TextPosition, positionText } from "./formats/json.ts";

/** A problem or warning: its path in the file, such as `routes[2].upstream` (empty: the whole), and a message. */
export interface Diagnostic extends FieldError {
  /** The position in the file's text. Undefined if there is no text, or no part of the path is in it. */
  readonly position?: TextPosition;
  /** A warning about a state that an operator chose: `--strict` accepts it. */
  readonly isNotice?: true;
}

export interface Findings {
  readonly problems: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/**
 * Problems, and warnings, of one configuration that are reported. If there are more, one line says so. @operator A
 * configuration of 16 MB can have millions.
 */
export const MAX_DIAGNOSTICS = 100;
/** Characters of a path, and of a message. The rest of a longer one is cut off. */
const MAX_DIAGNOSTIC_TEXT = 500;

/** The diagnostics as they are reported: within the limits of number and length. */
export function reportable(diagnostics: readonly Diagnostic[], what: "problems" | "warnings"): Diagnostic[] {
  const reported = diagnostics
    .slice(0, MAX_DIAGNOSTICS)
    .map((diagnostic) => ({ ...diagnostic, path: cut(diagnostic.path), message: cut(diagnostic.message) }));
  if (diagnostics.length > MAX_DIAGNOSTICS) reported.push({ path: "", message: `more ${what} are not listed` });
  return reported;
}

function cut(text: string): string {
  return text.length > MAX_DIAGNOSTIC_TEXT ? `${text.slice(0, MAX_DIAGNOSTIC_TEXT)}…` : text;
}

/** A diagnostic as one line of text: `line 3, column 5: routes[0].upstream: ...`. */
export function diagnosticText({ position, path, message }: Diagnostic): string {
  return `${position === undefined ? "" : `${positionText(position)}: `}${path === "" ? "" : `${path}: `}${message}`;
}

/** Formats `["routes", 2, "upstream"]` as `routes[2].upstream`. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (/^[\w$-]+$/.test(String(part))) text += text === "" ? String(part) : `.${String(part)}`;
    else text += `[${JSON.stringify(String(part))}]`;
  }
  return text;
}

/** The value at a path; undefined if the path does not exist. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = Reflect.get(current, part);
  }
  return current;
}

/** The list at a path; empty if the path has no list. */
export function listAt(value: unknown, path: readonly PropertyKey[]): readonly unknown[] {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list : [];
}

/**
 * Paths whose values are never repeated in a diagnostic: secrets, and lists that contain one, because a string may be
 * there by mistake. URLs are included, because many services expect their key in the URL. So are the names of
 * environment variables, because the secret itself may stand there.
 */
const SECRET =
  /(?:^|\.)(?:\w*_url|\w*_env|facilitator_headers|admin|auth|secret|token|api_key|payment_required_b64)$|^admin\.\w*key\w*$|\.auth\.(?!(?:.*\.)?(?:type|algorithm)$)|\.upstream_headers(?:\[\d+\](?:\.value)?)?$|^otel\.headers$|(?:^|^content\.jobs\.)postgres(?:\.url|\.password_env)?$|\.catalog_discovery$|\.external_account(?:\.hmac_key(?:_env)?)?$|\.health_check\.path$|^content\.browser\.endpoint$|\bsigners\[\d+\](?:\.\w+)?$|\bfacilitators(?:\[\d+\](?:\.url|\.headers)?)?$|^wasm_filters\[\d+\]\.(?:vm_)?config$|\.match\.(?:headers|query)\[\d+\](?:\.value|\.pattern)?$|\.headers(?:\.re(?:quest|sponse)\.(?:set|add))?\[\d+\](?:\.value)?$|\.rewrite(?:\.path|\.prefix|_replacement)?$/;

/** Names of header fields. After a colon, the field's value may follow. */
const FIELD_NAME = /headers(?:\.\w+\.\w+)?\[\d+\]\.name$/;

const MAX_SHOWN = 80;

/** Describes the value at `path` for a message. Of a value that may be a secret, it names only the type. */
export function describeFound(path: string, value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value === "object") return "an object";
  if (SECRET.test(path)) return `a ${typeof value}`;
  const name = typeof value === "string" && FIELD_NAME.test(path) ? value.replace(/:.*$/s, ":…") : value;
  const shown = JSON.stringify(name) ?? typeof name;
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}
