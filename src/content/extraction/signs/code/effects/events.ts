import { textOf, type Value } from "../values/value.ts";

/** Events that only a user causes, including scrolling and resizing. */
const PERSONAL =
  /^(?:click|dblclick|contextmenu|auxclick|submit|reset|change|input|focus|focusin|focusout|blur|select|scroll|scrollend|resize|orientationchange|wheel|mouse\w+|key(?:up|down|press)|touch\w+|pointer\w+|drag\w*|drop|copy|cut|paste|hover|close|cancel|beforeunload|unload|pagehide|visibilitychange|invalid|toggle|beforeinstallprompt|appinstalled|beforeprint|afterprint|popstate|hashchange|storage|play|playing|pause|ended|timeupdate|volumechange|seeking|seeked|ratechange|fullscreenchange|online|offline|error|unhandledrejection)$/;

/** Names of events that code causes. "" if it causes an event whose name is not known. */
export type Caused = ReadonlySet<string>;

/** Whether a text names events that only the user causes. It may contain several events, and namespaces of jQuery. */
function isPersonal(name: string, caused: Caused): boolean {
  const events = name.trim().split(/\s+/);
  return events
    .map((event) => event.replace(/\..*$/, "").toLowerCase())
    .every((event) => PERSONAL.test(event) && !caused.has(event) && !caused.has(""));
}

/** The name of the event that a call causes. Undefined if it causes none. */
export function causedBy(method: string, [first]: readonly Value[]): string | undefined {
  if (/^(?:dispatchEvent|trigger|triggerHandler|emit)$/.test(method)) return (first && textOf(first)) ?? "";
  return first === undefined ? /^(?:on)?(click|submit|change|input)$/.exec(method)?.[1] : undefined;
}

/** Whether a property holds a handler of a user's event, or functions that only handlers call. */
export function isHandlerProperty(name: string, caused: Caused): boolean {
  const event = /^(?:on:?|__|\$\$|@|handle)(?=[A-Za-z])(.*)$/.exec(name)?.[1];
  if (event !== undefined && isPersonal(event, caused)) return true;
  if (isPersonal(name, caused)) return true;
  return (
    caused.size === 0 && /^(?:on[A-Z]|handle|(?:get|set|methods|handlers|events|actions|watch|validators?)$)/.test(name)
  );
}

/** Whether a call adds a handler of an event that only users cause. */
export function addsHandler(method: string, args: readonly Value[], caused: Caused): boolean {
  const isGiven = args.some(({ is }) => is === "function");
  const names = args.flatMap((arg) => (arg.is === "constant" && typeof arg.value === "string" ? [arg.value] : []));
  if (isGiven && names.some((name) => isPersonal(name, caused))) return true;
  return isPersonal(method, caused) && args.at(-1)?.is === "function" && !/^(?:error|select|toggle)$/.test(method);
}
