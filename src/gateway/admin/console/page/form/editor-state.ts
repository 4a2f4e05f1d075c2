import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { type CheckResponse, type Diagnostic, type JsonObject } from "../api/shapes.ts";
import { type Base, type Draft, draftOf, dropDraft, itemsOf, keepDraft } from "./drafts.ts";
import { type FormState, isBelow, ofSettings, within } from "./form-state.ts";
import { mergePatch as applyMergePatch } from "../../../running-config/merge-patch.ts";
import { isSame } from "../../../../../lib/is-same.ts";
import { isJsonObject, mergePatch } from "./merge-patch.ts";
import { pathText, fieldText, withValue } from "./schema.ts";

/** Milliseconds after the last keystroke until the value is checked. */
const CHECK_AFTER_MS = 400;
/** Milliseconds until a failed check is repeated, for example while the gateway restarts. */
const CHECK_AGAIN_MS = 2000;

/** A list of the configuration whose items are edited in forms; or `settings`: everything but these lists. */
export interface Section {
  readonly name: "routes" | "upstreams" | "settings";
  readonly noun: "route" | "upstream" | "settings";
  /** The view that the form leads back to. */
  readonly home: string;
  /** Keys that are shown first. */
  readonly first: readonly string[];
  /** The initial value of a new item. */
  readonly begin: JsonObject;
  /** The path of the admin interface that changes an item. */
  readonly addressOf: (item: JsonObject) => string;
  readonly titleOf: (item: JsonObject) => string;
}

export interface Editor {
  readonly base: Base;
  readonly value: JsonObject;
  readonly isChanged: boolean;
  readonly isRestored: boolean;
  readonly isBusy: boolean;
  readonly check: CheckResponse | undefined;
  /** Diagnostics about this item, and about other places. */
  readonly own: readonly Diagnostic[];
  readonly others: readonly Diagnostic[];
  readonly problem: Problem | undefined;
  /** The newer configuration, if another change caused this one to be refused. */
  readonly conflict: Base | undefined;
  readonly form: FormState;
  readonly save: () => Promise<boolean>;
  /** Applies the typed changes to the newer configuration. */
  readonly keepTyped: () => void;
  readonly discardTyped: () => void;
}

/** The newest configuration, and the item in it that matches `find`. */
export async function readBase(section: Section, find: (item: JsonObject) => boolean): Promise<Base> {
  const { body: document, etag } = await call<JsonObject>("/v1/config");
  if (section.name === "settings")
    return { etag, document, index: 0, item: settingsOf(document), readAtMs: Date.now() };
  const items = itemsOf(document, section.name);
  const at = items.findIndex(find);
  const index = at === -1 ? items.length : at;
  return { etag, document, index, item: items[at], readAtMs: Date.now() };
}

/** The document without its lists of routes and upstreams. */
function settingsOf(document: JsonObject): JsonObject {
  const { routes: _routes, upstreams: _upstreams, ...settings } = document;
  return settings;
}

/** The document with a typed item in its place. */
function withItem({ name }: Section, { document, index }: Base, value: JsonObject): JsonObject {
  if (name !== "settings") return asObject(withValue(document, [name, index], value));
  const { routes = [], upstreams = [] } = document;
  return { ...value, routes, upstreams };
}

export function useEditor(section: Section, name: string, first: Base): Editor {
  const draft = useRef(draftOf(name)).current;
  const [base, setBase] = useState(draft?.base ?? first);
  const [value, setValue] = useState<JsonObject>(draft?.value ?? base.item ?? section.begin);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const saving = useSaving(section, name, { base, value });
  const { isSubmitted, problem, conflict, forget } = saving;
  const isChanged = !isSame(value, base.item ?? section.begin);
  const check = useCheck(section, base, value);

  useEffect(() => {
    if (isChanged) keepDraft(name, { base, value });
    else dropDraft(name);
  }, [value, base]);

  const diagnostics = (problem?.diagnostics.length ?? 0) > 0 ? problem?.diagnostics : check?.problems;
  const { own: all, others } =
    section.name === "settings" ? ofSettings(diagnostics ?? []) : within(diagnostics ?? [], section.name, base.index);
  const own = all.filter(
    ({ path }) => isSubmitted || base.item !== undefined || [...touched].some((parent) => isBelow(path, parent)),
  );

  const form = formOf(
    { section, base, own },
    (path, put) => {
      forget("problem");
      setValue((before) => asObject(withValue(before, path, put)));
    },
    (path) => setTouched((before) => new Set([...before, pathText(path)])),
  );

  return {
    base,
    value,
    isChanged,
    isRestored: draft !== undefined,
    check,
    own,
    others,
    form,
    ...saving,
    keepTyped() {
      if (conflict === undefined) return;
      setValue(asObject(applyMergePatch(conflict.item ?? {}, mergePatch(base.item ?? {}, value))));
      setBase(conflict);
      forget("conflict");
    },
    discardTyped() {
      const next = conflict ?? base;
      setBase(next);
      setValue(next.item ?? section.begin);
      forget("all");
    },
  };
}

interface Saving extends Pick<Editor, "isBusy" | "problem" | "conflict" | "save"> {
  readonly isSubmitted: boolean;
  readonly forget: (what: "problem" | "conflict" | "all") => void;
}

/** Sends the typed value, and keeps the outcome. */
function useSaving(section: Section, name: string, { base, value }: Draft): Saving {
  const [isSubmitted, setSubmitted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<Base>();
  const forget: Saving["forget"] = (what) => {
    if (what !== "conflict") setProblem(undefined);
    if (what !== "problem") setConflict(undefined);
    if (what === "all") setSubmitted(false);
  };
  const save = async (): Promise<boolean> => {
    forget("all");
    setSubmitted(true);
    setBusy(true);
    try {
      await send(section, base, value);
      dropDraft(name);
      return true;
    } catch (error) {
      const found = problemOf(error);
      if (found.status === 412) setConflict(await readBase(section, sameItem(section, base)));
      else setProblem(found);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isSubmitted, isBusy, problem, conflict, save, forget };
}

/** The gateway's check of the whole configuration with the typed value, a moment after the last keystroke. */
function useCheck(section: Section, base: Base, value: JsonObject): CheckResponse | undefined {
  const [check, setCheck] = useState<CheckResponse>();
  useEffect(() => {
    const abort = new AbortController();
    const body = withItem(section, base, value);
    const runCheck = (): void => {
      call<CheckResponse>("/v1/config/check", { method: "POST", body, signal: abort.signal }).then(
        ({ body: response }) => setCheck(response),
        () => {
          if (!abort.signal.aborted) timer = setTimeout(runCheck, CHECK_AGAIN_MS);
        },
      );
    };
    let timer = setTimeout(runCheck, CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [value, base]);
  return check;
}

/** The state that the fields share. `own` are the shown diagnostics of the item. */
function formOf(
  { section, base, own }: { readonly section: Section } & Pick<Editor, "base" | "own">,
  change: FormState["change"],
  touch: FormState["touch"],
): FormState {
  return {
    original: base.item,
    change,
    touch,
    messagesAt: (path) => own.filter((diagnostic) => diagnostic.path === pathText(path)).map(({ message }) => message),
    countBelow: (path) => own.filter((diagnostic) => isBelow(diagnostic.path, pathText(path))).length,
    namesFor: (key) =>
      section.name === "routes" && (key === "upstream" || key === "mirror")
        ? itemsOf(base.document, "upstreams").map((upstream) => fieldText(upstream["name"]))
        : undefined,
  };
}

/** Finds the item of `base` in a newer configuration. */
function sameItem({ addressOf }: Section, { item }: Base): (other: JsonObject) => boolean {
  return (other) => item !== undefined && addressOf(other) === addressOf(item);
}

async function send(section: Section, base: Base, value: JsonObject): Promise<void> {
  if (section.name === "settings") {
    await call("/v1/config", { method: "PUT", body: withItem(section, base, value), ifMatch: base.etag });
    return;
  }
  if (base.item === undefined) {
    await call(`/v1/${section.name}`, { method: "POST", body: value });
    return;
  }
  const body = mergePatch(base.item, value);
  await call(section.addressOf(base.item), { method: "PATCH", body, ifMatch: base.etag });
}

function asObject(value: unknown): JsonObject {
  // Forms change keys of an object, so the result is an object.
  return isJsonObject(value as JsonObject) ? (value as JsonObject) : {};
}
