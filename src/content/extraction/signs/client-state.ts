import { type Scopes, scopesBefore } from "./code-scope.ts";
import { endOfBlock, endOfValue } from "./code-values.ts";

/** Maximum number of calls that are examined in one script, and of characters of one call. */
const MAX_CALLS = 400;
const MAX_CALL_LENGTH = 8_000;
/** Number of characters before an effect that may declare its state, and after it that may display the state. */
const NEAR = 6_000;

/**
 * A call whose first argument is a function without parameters, as a statement: `useEffect(()=>{`, `onMounted(()=>`. A
 * minifier may have renamed the called function. A call whose result is kept is a memo or a callback.
 */
const EFFECT =
  /(?<![\w$.]|[=:(?&|!]\s{0,3})(?:\(0,\s{0,3})?(?:[\w$]{1,40}\.)?([\w$]{1,40})\)?\(\s{0,9}(?:async\s{0,9})?(?:function\s{0,9})?\(\s{0,3}\)\s{0,9}(?:=>|\{)/g;

/** The beginning of the function that Vue, or a class of React, runs when a component is in the page. */
const MOUNTED =
  /(?<![\w$.])(?:mounted|componentDidMount)\s{0,3}(?::\s{0,3}(?:async\s{1,3})?function\s{0,3})?\(\s{0,3}\)\s{0,3}\{/g;

/**
 * Functions of frameworks that run an effect in the browser. Any other name of four letters or more is a different
 * function.
 */
const EFFECTS = new Set(["useEffect", "useLayoutEffect", "onMounted", "onMount", "createEffect", "user_effect"]);

/** Values that only the browser knows: stored data of the user, the window's size, and the page's own elements. */
const PERSONAL =
  /\b(?:localStorage|sessionStorage|cookie|matchMedia|navigator|inner(?:Width|Height)|scroll[XY]|page[XY]Offset|querySelector\w*|getElement\w*|getBounding\w*|get(?:Session|User|Token)|session|auth\w*|user|login|token|cart|consent|theme|toast|locale|serviceWorker)\b|\/(?:me|track)\b/i;

/**
 * Functions that run later or never: callbacks of observers and intervals, and the function that cleans up after an
 * effect.
 */
const LATER =
  /\bnew\s{1,9}\w{1,20}Observer\s{0,9}\(|\bsetInterval\s{0,9}\(|\baddEventListener\s{0,9}\(|\.(?:on|subscribe|listen|observe)\s{0,9}\(|\breturn\s{0,9}(?:function\b|(?=\(\s{0,3}\)\s{0,9}=>))/g;

/** Elements without a text of their own. */
const WORDLESS = "button|svg|input|canvas|style|link|script|img|path|i";

/**
 * Whether code changes a component's state after it was mounted, so that the page shows more than the server rendered:
 * `useEffect(() => setMounted(true), [])`. The code must not contain event handlers.
 */
export function setsStateOnLoad(code: string): boolean {
  return setsData(code) || runsEffect(code) || hasOtherStore(code);
}

/** The last argument of a call, if it is a function that returns an empty value: the value of a store on the server. */
const NOTHING =
  /,\s{0,9}(?:\(\s{0,3}\)\s{0,3}=>\s{0,3}|function\s{0,3}\(\s{0,3}\)\s{0,3}\{\s{0,9}return\s{0,3})\(?(?:""|''|``|null|(!1|false)|\[\]|\{\}|void 0|undefined|0)\s{0,3}[);}]{0,3}\s{0,3}\)/g;

/** Maximum number of characters of a store's other arguments. */
const MAX_STORE_LENGTH = 600;

/**
 * The first argument of a call that subscribes to a store: a function that returns a function, or a method of the
 * store.
 */
const SUBSCRIBES =
  /=>\s{0,3}\(?\s{0,3}\(\s{0,3}\)\s{0,3}=>|=>\s{0,3}\{[^]{0,300}\breturn\b|\bsub(?:scribe)?\b|\breturn\s{0,3}function\b/;

/** The called function's name, and the variable for its result. They are the last code before the arguments. */
const CALLED =
  /(?:(?<![\w$.])(?:function\s{1,3}([\w$]{1,40})\s{0,3}\(\s{0,3}\)\s{0,3}\{\s{0,9}return\s{1,3}|([\w$]{1,40})\s{0,3}=\s{0,3}(\(\s{0,3}\)\s{0,3}=>\s{0,3})?))?(?:\(0,\s{0,3})?(?:[\w$]{1,40}\.)?([\w$]{1,40})\)?\s{0,3}$/;

/**
 * Whether a component shows a value of a store that is empty on the server: `useSyncExternalStore(subscribe, get, () =>
 * "")`. A minifier may have renamed the called function.
 */
function hasOtherStore(code: string): boolean {
  let calls = 0;
  for (const match of code.matchAll(NOTHING)) {
    calls += 1;
    if (calls > MAX_CALLS) return false;
    const from = Math.max(0, match.index - MAX_STORE_LENGTH);
    const text = code.slice(from, match.index);
    const open = openingBefore(text);
    const called = CALLED.exec(text.slice(0, Math.max(0, open)));
    if (open === -1 || called === null) continue;
    const [, declared, assigned, arrow, name = ""] = called;
    const given = text.slice(open + 1);
    if (PERSONAL.test(given) || !(name === "useSyncExternalStore" || (name.length <= 3 && SUBSCRIBES.test(given))))
      continue;
    if (match[1] === undefined) return true;
    const hook = arrow === undefined ? declared : assigned;
    const rest = code.slice(match.index + match[0].length);
    const shown = hook === undefined ? assigned : resultOf(rest, hook);
    if (shown !== undefined && guardsWords(rest.slice(0, NEAR), shown)) return true;
  }
  return false;
}

/** The variable for the result of a hook: `here` in `here = useHere()`. */
function resultOf(code: string, hook: string): string | undefined {
  return new RegExp(`(?<![\\w$.])([\\w$]{1,40})\\s{0,3}=\\s{0,3}${escaped(hook)}\\([\\w$.]{0,40}\\)`).exec(code)?.[1];
}

/** The index of the bracket that opens the call whose arguments are at the end of the text, or -1. */
function openingBefore(text: string): number {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const char = text.charAt(at);
    if (char === ")" || char === "]" || char === "}") depth += 1;
    else if (char === "(" || char === "[" || char === "{") {
      if (depth === 0) return char === "(" ? at : -1;
      depth -= 1;
    }
  }
  return -1;
}

function runsEffect(code: string): boolean {
  let calls = 0;
  for (const match of code.matchAll(EFFECT)) {
    calls += 1;
    if (calls > MAX_CALLS) return false;
    const name = match[1] ?? "";
    if (name.length > 3 && !EFFECTS.has(name)) continue;
    const start = match.index + match[0].lastIndexOf("(", match[0].lastIndexOf("(") - 1) + 1;
    const text = code.slice(start, start + MAX_CALL_LENGTH);
    const end = endOfValue(text, 0);
    const dependencies = DEPENDENCIES.exec(text.slice(end, end + 200));
    if (dependencies === null) continue;
    const whole = text.slice(0, end);
    const body = unlessLater(whole);
    const isPersonal = PERSONAL.test(body);
    if (isPersonal && !HAS_DEFAULT.test(body)) continue;
    const before = scopesBefore(code.slice(Math.max(0, match.index - NEAR), match.index));
    const after = code.slice(start + end, start + end + NEAR);
    // The state of an element that only screen readers read.
    if (ANNOUNCES.test(code.slice(Math.max(0, match.index - NEAR), start + end + NEAR))) continue;
    if (isPersonal) {
      if (fallsBack(body, before.own, after)) return true;
      continue;
    }
    // Other dependencies than none mostly change when a person does something.
    const isOnce = (dependencies[1] ?? "").trim() === "";
    if (isOnce ? setsState(body, before, after) : fillsState(body, before.own)) return true;
    if (showsInView(whole, before.own, after)) return true;
  }
  return false;
}

const ANNOUNCES = /\bid=\\?["'][\w-]{0,30}announcer\\?["']/;

/** The dependencies of an effect, and the end of its call. An effect without a list of them runs after each render. */
const DEPENDENCIES = /^(?:,\s{0,9}\[([^[\]]{0,160})\]\s{0,9})?\)/;

/** Whether an effect fills an empty state without a condition: `s(format(date))`, after `[a, s] = useState("")`. */
function fillsState(body: string, before: string): boolean {
  for (const match of body.matchAll(SETTER)) {
    const [whole, called, first] = match;
    if (/\bif\b|&&|\?|\|\|/.test(body.slice(0, match.index))) return false;
    if (called === undefined || first !== undefined) continue;
    const value = body.slice(match.index + whole.length, match.index + whole.length + 12);
    if (/^(?:""|''|``|null\b|\[\]|\{\}|!0|!1|true\b|false\b|void 0|undefined\b|\))/.test(value)) continue;
    const state = stateOf(before, called);
    if (state !== undefined && /^(?:""|''|``|null|void 0|undefined|\[\]|)\)/.test(state.initial)) return true;
  }
  return false;
}

/** A value of the user with a constant in its place: `localStorage.getItem("units") ?? "metric"`. */
const HAS_DEFAULT = /(?:\?\?|\|\|)\s{0,3}["'`]\w/;

/**
 * Whether an effect fills an empty state with a value of the user or a constant. Something with words must wait for the
 * state, directly or as the result of a hook.
 */
function fallsBack(body: string, before: string, after: string): boolean {
  return body.matchAll(SETTER).some(([, called, first]) => {
    const state = called === undefined || first !== undefined ? undefined : stateOf(before, called);
    if (state === undefined || !/^(?:""|''|``|null|void 0|undefined|!1|false|)\)/.test(state.initial)) return false;
    if (guardsWords(after, state.name)) return true;
    const shown = hookResult(before, after);
    return shown !== undefined && guardsWords(after, shown);
  });
}

/** The beginning of the function whose statements are at the end of a text. */
const HOOK =
  /(?:\bfunction\s{1,3}([\w$]{1,40})\s{0,3}\([^()]{0,80}\)\s{0,3}|([\w$]{1,40})\s{0,3}=\s{0,3}\([^()]{0,80}\)\s{0,3}=>\s{0,3})\{/;

/** The variable for the result of the hook whose own statements are `before`, in the code after it. */
function hookResult(before: string, after: string): string | undefined {
  const hook = HOOK.exec(before);
  return hook === null ? undefined : resultOf(after, hook[1] ?? hook[2] ?? "");
}

const IN_VIEW =
  /\bnew\s{1,9}IntersectionObserver\s{0,9}\([^]{0,400}?(?<![\w$.])(?!if\b|while\b)([\w$]{1,40})\s{0,3}\(\s{0,3}(?:!0|true|[\w$]{1,20}\.isIntersecting)\s{0,3}\)/;

/** Whether a component shows words when it is scrolled into the window. */
function showsInView(body: string, before: string, after: string): boolean {
  const setter = IN_VIEW.exec(body)?.[1];
  const state = setter === undefined ? undefined : stateOf(before, setter);
  if (state === undefined) return false;
  const isShown = (name: string): boolean =>
    new RegExp(`(?<![\\w$.])${escaped(name)}\\s{0,3}(?:&&|\\?)\\s{0,9}(?:\\(0,\\s{0,3})?[\\w$.]{1,40}\\)?\\(`).test(
      after,
    );
  const result = hookResult(before, after);
  return isShown(state.name) || (result !== undefined && isShown(result));
}

/** Whether a component sets its data when it is mounted: `mounted() { this.open = true }`. */
function setsData(code: string): boolean {
  let calls = 0;
  for (const match of code.matchAll(MOUNTED)) {
    calls += 1;
    if (calls > MAX_CALLS) return false;
    const start = match.index + match[0].length - 1;
    const text = code.slice(start, start + MAX_CALL_LENGTH);
    const body = unlessLater(text.slice(0, endOfValue(text, 0)));
    if (!PERSONAL.test(body) && FIELD.test(body)) return true;
  }
  return false;
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

/** A call of a setter, or a setter as the callback of a promise: `s(!0)`, `.then(s)`. */
const SETTER =
  /(?<![\w$.])([\w$]{1,40})\s{0,3}\(\s{0,3}(?:([\w$]{1,40})\s{0,3},\s{0,3})?|\.then\s{0,3}\(\s{0,3}([\w$]{1,40})\s{0,3}\)/g;
const REF = /(?<![\w$.])([\w$]{1,40})\.value\s{0,3}=(?!=)/;
const FIELD = /\bthis\.setState\s{0,3}\(|\bthis\.\w{1,40}\s{0,3}=\s{0,3}(?:!0|true\b|await\b|["'`[])/;

function setsState(body: string, { own, all }: Scopes, after: string): boolean {
  const ref = REF.exec(body)?.[1];
  const isFlagged =
    ref !== undefined && new RegExp(`${escaped(ref)}\\.value\\s{0,3}=\\s{0,3}(?:![01]|(?:true|false)\\b)`).test(body);
  if (ref !== undefined && isResult(all, ref) && (!isFlagged || isReadLater(after, ref))) return true;
  for (const match of body.matchAll(SETTER)) {
    const [whole, called, first, given] = match;
    const setter = called ?? given ?? "";
    const value = body.slice(match.index + whole.length, match.index + whole.length + 12);
    // A setter has one argument.
    const sets = first === undefined && (given !== undefined || !value.startsWith(")"));
    const state = sets ? stateOf(own, setter) : undefined;
    const isFlag = /^(?:!0|true)\s{0,3}\)/.test(value);
    // A flag that is reset shows nothing more, unless it was set from the beginning.
    const isReset =
      state?.initial === value ||
      (/^(?:!1|false)\s{0,3}\)/.test(value) && !/^(?:!0|true)\s{0,3}\)/.test(state?.initial ?? ""));
    if (state !== undefined && !isReset && (!isFlag || guardsWords(after, state.name))) return true;
    const isValue = first !== undefined && /^(?:!0|true|\(?await\b|["'`[])/.test(value);
    if (isValue && isSignal(all, first) && isRead(after, first)) return true;
  }
  return false;
}

/** Whether the rest of a function reads the value of a reference, or passes the reference on. */
function isReadLater(after: string, name: string): boolean {
  const rest = after.slice(0, Math.max(0, endOfBlock(`{${after}`, 0) - 1));
  return new RegExp(`(?<![\\w$.])${escaped(name)}(?:\\.value(?!\\s{0,3}=(?!=))|\\s{0,3}[,)}\\]])`).test(rest);
}

interface State {
  readonly name: string;
  /** The beginning of its first value. */
  readonly initial: string;
}

/** The state of a setter: `a` in `[a, b] = useState("")` for `b`. */
function stateOf(before: string, setter: string): State | undefined {
  const declared = new RegExp(
    `\\[\\s{0,3}([\\w$]{1,40})\\s{0,3},\\s{0,3}${escaped(setter)}\\s{0,3}\\]\\s{0,3}=\\s{0,3}\\(?[\\w$., ]{1,40}\\)?\\(`,
    "g",
  );
  const last = [...before.matchAll(declared)].at(-1);
  if (last === undefined) return undefined;
  const from = last.index + last[0].length;
  return { name: last[1] ?? "", initial: before.slice(from, from + 12).trimStart() };
}

/** Whether a variable is the result of a call, as references are: `m = ref(today)`. */
function isResult(before: string, name: string): boolean {
  const declared = new RegExp(
    `(?<![\\w$.])${escaped(name)}\\s{0,3}=\\s{0,3}(?:\\(0,\\s{0,3})?[\\w$.]{1,40}\\)?\\(`,
    "g",
  );
  const last = [...before.matchAll(declared)].at(-1);
  return last !== undefined && !isParameter(before.slice(last.index), name);
}

/** Whether a function around the end of the text has a parameter with this name. Other functions have no body here. */
function isParameter(before: string, name: string): boolean {
  const first = escaped(name);
  return new RegExp(
    `[(,]\\s{0,3}${first}\\s{0,3}[,)=][^{}]{0,200}\\{(?!\\})|(?<![\\w$.])${first}\\s{0,3}=>\\s{0,3}\\{(?!\\})`,
  ).test(before);
}

/** Whether a variable is a call's result with a constant, as signals are: `m = state(!1)`. */
function isSignal(before: string, name: string): boolean {
  return new RegExp(
    `(?<![\\w$.])${escaped(name)}\\s{0,3}=\\s{0,3}[\\w$.]{1,40}\\((?:[\\w$.]{1,40}\\()?(?:!1|!0|false|null|void 0|\\[\\]|\\{\\}|""|''|0|)\\)`,
  ).test(before);
}

function isRead(after: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])[\\w$.]{1,40}\\(${escaped(name)}\\)`).test(after);
}

/** Whether a condition on a flag displays something with words: `m && <p>`, `m ? children : null`. */
function guardsWords(after: string, state: string): boolean {
  const name = `(?<![\\w$.])${escaped(state)}(?:\\(\\))?`;
  const wordless = `(?!["'\`](?:${WORDLESS})["'\`])`;
  return new RegExp(
    `${name}\\s{0,3}(?:&&|\\?)\\s{0,9}(?:(?:\\(0,\\s{0,3})?[\\w$.]{1,40}\\)?\\(\\s{0,9}${wordless}|[\\w$.]{1,40}\\s{0,3}(?::|[,;)}\\]]))|` +
      `if\\s{0,3}\\(\\s{0,3}!${name}\\s{0,3}\\)\\s{0,3}return[^;]{0,40};\\s{0,9}return\\s{0,9}(?:\\(0,\\s{0,3})?[\\w$.]{1,40}\\)?\\(\\s{0,9}${wordless}|` +
      `when(?:\\(\\)\\s{0,3}\\{\\s{0,3}return|:)\\s{0,9}${name}`,
  ).test(after);
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}
