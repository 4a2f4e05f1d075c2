import { isTag } from "domhandler";
import { isDataAddress } from "./addresses.ts";
import { YEAR } from "./content.ts";
import { type Running } from "./running.ts";
import { type CodeSign } from "./sign-names.ts";
import { isMissing } from "../syntax/syntax.ts";
import { textOf, UNKNOWN, type Value } from "../values/value.ts";
import { type Values } from "../values/values.ts";

const WRITES = /(?:^|\.)document\.(?:write|writeln|open)$/;
const NAVIGATES = /(?:^|\.)location\.(?:replace|assign)$/;
const TIMERS = /^(?:window\.)?set(?:Timeout|Interval)$/;
const REQUESTS =
  /^(?:(?:window\.)?(?:fetch|ofetch|\$fetch|axios)|(?:axios|\$|jQuery|ky)\.(?:get|getJSON|ajax|request))$/;
/** Properties that navigate when they are set. */
const ADDRESSES =
  /^(?:(?:window|document|self|globalThis)\.)?location\.(?:href|search|pathname)$|^(?:window|document|self|globalThis)\.location$/;

/** A call whose parts are known as far as possible. */
export interface Call {
  /** The name of the method or the function. */
  readonly key: string;
  readonly object: Value;
  readonly called: Value;
  readonly args: readonly Value[];
  readonly at: Running;
}

/** The name of a global function, with its object. "" for other functions. */
export function globalName({ key, object, called }: Call): string {
  if (called.is === "global") return called.name;
  return object.is === "global" ? `${object.name}.${key}` : "";
}

/** The effect of calling a function of the browser, or of a library that requests data. Undefined: it has no effect. */
export function signOfCall(call: Call, values: Values): CodeSign | undefined {
  const { key, args } = call;
  const { isLibrary, hasParts } = call.at.code;
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const name = globalName(call);
  if (WRITES.test(name)) return writesText(textOf(first) ?? "", values) ? "document-write" : undefined;
  if (NAVIGATES.test(name)) return "script-redirect";
  if (name === "eval" && !isLibrary) return "evaluated-code";
  if (TIMERS.test(name) && textOf(first) !== undefined) return "evaluated-code";
  if (!hasParts) return undefined;
  if (REQUESTS.test(name) || key === "getJSON" || key === "get")
    return requestsData(first, values) && !sends(second, values) ? "data-request" : undefined;
  const opens = key === "open" && first.is === "constant" && first.value === "GET";
  return opens && requestsData(second, values) ? "data-request" : undefined;
}

/** The sign that the creation of a browser's object is. */
export function signOfCreation(
  name: string,
  [first = UNKNOWN]: readonly Value[],
  values: Values,
): CodeSign | undefined {
  return name === "EventSource" && requestsData(first, values) ? "data-request" : undefined;
}

/** The sign that the setting of a browser's property is. */
export function signOfProperty(object: Value, key: string): CodeSign | undefined {
  return object.is === "global" && ADDRESSES.test(`${object.name}.${key}`) ? "script-redirect" : undefined;
}

function writesText(html: string, { ownElement, page }: Values): boolean {
  const parent = ownElement?.parent;
  const isShown = isMissing(parent) || !isTag(parent) || page.isContent(parent);
  return isShown && !YEAR.test(html) && !/^\s*<(?:script|\/?noscript)/i.test(html);
}

function requestsData(address: Value, { page }: Values): boolean {
  const text = textOf(address);
  return text !== undefined && isDataAddress(text, page.survey);
}

function sends(options: Value, values: Values): boolean {
  if (options.is !== "object") return false;
  const method = textOf(values.property(options, "method") ?? values.property(options, "type") ?? UNKNOWN);
  return method !== undefined && !/^get$/i.test(method);
}
