import { endOfValue } from "./code-values.ts";

/** Maximum number of calls that are examined in one script, and of characters of one call. */
const MAX_CALLS = 400;
const MAX_CALL_LENGTH = 8_000;
/** Number of characters before an effect that may declare its state. */
const NEAR = 6_000;

/**
 * A call whose first argument is a function without parameters, as a statement: `useEffect(()=>{`. A minifier may have
 * renamed the called function. A call whose result is kept is a memo or a callback.
 */
const EFFECT =
  /(?<![\w$.]|[=:(?&|!]\s{0,3})(?:\(0,\s{0,3})?(?:[\w$]{1,40}\.)?([\w$]{1,40})\)?\(\s{0,9}(?:async\s{0,9})?(?:function\s{0,9})?\(\s{0,3}\)\s{0,9}(?:=>|\{)/g;

/** Functions of frameworks that run an effect in the browser. Any other name of four letters or more is different. */
const EFFECTS = new Set(["useEffect", "useLayoutEffect"]);

/** An effect with dependencies mostly runs again when a person does something. */
const RUNS_ONCE = /^(?:,\s{0,9}\[\s{0,9}\]\s{0,9})?\)/;

/** Values that only the browser knows: stored data of the user, the window's size, and the page's own elements. */
const PERSONAL =
  /\b(?:localStorage|sessionStorage|cookie|matchMedia|navigator|inner(?:Width|Height)|scroll[XY]|page[XY]Offset|querySelector\w*|getElement\w*|getBounding\w*|get(?:Session|User|Token)|session|auth\w*|user|login|token|cart|consent|theme|toast|locale|serviceWorker)\b|\/(?:me|track)\b/i;

/**
 * Functions that run later or never: callbacks of observers and intervals, and the function that cleans up after an
 * effect.
 */
const LATER =
  /\bnew\s{1,9}\w{1,20}Observer\s{0,9}\(|\bsetInterval\s{0,9}\(|\baddEventListener\s{0,9}\(|\.(?:on|subscribe|listen|observe)\s{0,9}\(|\breturn\s{0,9}(?:function\b|(?=\(\s{0,3}\)\s{0,9}=>))/g;

/** Most components set a flag such as `mounted`, which shows nothing more. */
const FLAG = /^(?:![01]|true\b|false\b)/;

/** A call of a setter, or a setter as the callback of a promise: `s(!0)`, `.then(s)`. */
const SETTER = /(?<![\w$.])([\w$]{1,40})\s{0,3}\((?!\s{0,3}\))|\.then\s{0,3}\(\s{0,3}([\w$]{1,40})\s{0,3}\)/g;

/**
 * Whether a component changes its state after it was mounted, so that the page shows more than the server rendered:
 * `useEffect(() => setRows(all), [])`. The code must not contain event handlers.
 */
export function setsStateOnLoad(code: string): boolean {
  return code
    .matchAll(EFFECT)
    .take(MAX_CALLS)
    .some((match) => {
      const name = match[1] ?? "";
      if (name.length > 3 && !EFFECTS.has(name)) return false;
      const start = match.index + match[0].lastIndexOf("(", match[0].lastIndexOf("(") - 1) + 1;
      const text = code.slice(start, start + MAX_CALL_LENGTH);
      const end = endOfValue(text, 0);
      const body = unlessLater(text.slice(0, end));
      if (!RUNS_ONCE.test(text.slice(end, end + 40)) || PERSONAL.test(body)) return false;
      const before = code.slice(Math.max(0, match.index - NEAR), match.index);
      return setsState(body, before);
    });
}

/** The body of an effect without the functions that run later. */
function unlessLater(body: string): string {
  let kept = "";
  let from = 0;
  for (const match of body.matchAll(LATER)) {
    if (match.index < from) continue;
    kept += body.slice(from, match.index);
    from = endOfValue(body, match.index);
  }
  return kept + body.slice(from);
}

function setsState(body: string, before: string): boolean {
  return body.matchAll(SETTER).some(({ index, 0: whole, 1: called, 2: given }) => {
    const value = body.slice(index + whole.length, index + whole.length + VALUE_LENGTH).trimStart();
    return !FLAG.test(value) && isOther(before, called ?? given ?? "", value);
  });
}

/** Number of characters of a value that are compared with the first value of its state. */
const VALUE_LENGTH = 12;

/** Whether a function sets a state, and the value is not the state's first one: `b` in `[a, b] = useState("")`. */
function isOther(before: string, name: string, value: string): boolean {
  const setter = name.replaceAll("$", "\\$");
  const declared = new RegExp(
    `\\[\\s{0,3}[\\w$]{1,40}\\s{0,3},\\s{0,3}${setter}\\s{0,3}\\]\\s{0,3}=\\s{0,3}\\(?[\\w$., ]{1,40}\\)?\\(`,
  ).exec(before);
  return declared !== null && !before.startsWith(value, declared.index + declared[0].length);
}
