import { type Value } from "../values/value.ts";

/** Events that only a user causes, including scrolling and resizing. */
const PERSONAL =
  /^(?:click|dblclick|contextmenu|auxclick|submit|reset|change|input|focus|focusin|focusout|blur|select|scroll|scrollend|resize|orientationchange|wheel|mouse\w+|key(?:up|down|press)|touch\w+|pointer\w+|drag\w*|drop|copy|cut|paste|hover|beforeunload|unload|pagehide|visibilitychange|invalid|toggle|beforeinstallprompt|appinstalled|beforeprint|afterprint|popstate|hashchange|storage|play|playing|pause|ended|timeupdate|volumechange|seeking|seeked|ratechange|fullscreenchange|online|offline|error|unhandledrejection|message)$/;

/** Whether a text names an event of the user. It may contain several events, and namespaces of jQuery. */
function isPersonal(name: string): boolean {
  const events = name.trim().split(/\s+/);
  return events.length > 0 && events.every((event) => PERSONAL.test(event.replace(/\..*$/, "").toLowerCase()));
}

/** Whether a property holds a handler of a user's event, or functions that only handlers call. */
export function isHandlerProperty(name: string): boolean {
  const event = /^(?:on:?|__|\$\$|@|handle)(?=[A-Za-z])(.*)$/.exec(name)?.[1];
  if (event !== undefined && (isPersonal(event) || /^(?:on[A-Z]|handle)/.test(name))) return true;
  return isPersonal(name) || /^(?:get|set|methods|handlers|events|actions|watch|validators?)$/.test(name);
}

/** Whether a property holds a handler that a script calls itself: `socket.onmessage`, `request.onload`. */
export function isOwnHandler(name: string): boolean {
  return /^on(?:load|loadend|message|readystatechange|open|success|progress|animationend|transitionend)$/.test(name);
}

/** Whether a call adds a handler of an event that only users cause. */
export function addsHandler(method: string, args: readonly Value[]): boolean {
  const isGiven = args.some(({ is }) => is === "function");
  if (isGiven && args.some((arg) => arg.is === "constant" && typeof arg.value === "string" && isPersonal(arg.value)))
    return true;
  return isPersonal(method) && args.at(-1)?.is === "function" && !/^(?:error|select|toggle)$/.test(method);
}
