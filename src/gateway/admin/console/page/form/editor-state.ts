import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { type Problem, problemOf } from "../api/problem.ts";
import { type CheckResponse, type Diagnostic, type JsonObject } from "../api/shapes.ts";
import { type Base, draftOf, dropDraft, itemsOf, keepDraft } from "./drafts.ts";
import { type FormState, isBelow, within } from "./form-state.ts";
import { applyMergePatch, isObject, isSame, mergePatch } from "./merge-patch.ts";
import { type Path, pathText, fieldText, withValue } from "./schema.ts";

/** Milliseconds after the last keystroke until the value is checked. */
const CHECK_AFTER_MS = 400;
/** Milliseconds until a failed check is repeated, for example while the gateway restarts. */
const CHECK_AGAIN_MS = 2000;

/** A list of the configuration whose items are edited in forms. */
export interface Section {
  readonly name: "routes" | "upstreams";
  readonly noun: "route" | "upstream";
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
  const items = itemsOf(document, section.name);
  const at = items.findIndex(find);
  const index = at === -1 ? items.length : at;
  return { etag, document, index, item: items[at], readAtMs: Date.now() };
}

export function useEditor(section: Section, name: string, first: Base): Editor {
  const draft = useRef(draftOf(name)).current;
  const [base, setBase] = useState(draft?.base ?? first);
  const [value, setValue] = useState<JsonObject>(draft?.value ?? base.item ?? section.begin);
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [isSubmitted, setSubmitted] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [check, setCheck] = useState<CheckResponse>();
  const [problem, setProblem] = useState<Problem>();
  const [conflict, setConflict] = useState<Base>();
  const isChanged = !isSame(value, base.item ?? section.begin);

  useEffect(() => {
    if (isChanged) keepDraft(name, { base, value });
    else dropDraft(name);
    const abort = new AbortController();
    const body = withValue(base.document, [section.name, base.index], value) ?? {};
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

  const diagnostics =
    problem === undefined || problem.diagnostics.length === 0 ? (check?.problems ?? []) : problem.diagnostics;
  const { own, others } = within(diagnostics, section.name, base.index);
  const isShown = ({ path }: Diagnostic): boolean =>
    isSubmitted || base.item !== undefined || [...touched].some((parent) => isBelow(path, parent));
  const shown = own.filter(isShown);

  const save = async (): Promise<boolean> => {
    setSubmitted(true);
    setBusy(true);
    setProblem(undefined);
    setConflict(undefined);
    try {
      await send(section, base, value);
      dropDraft(name);
      return true;
    } catch (error) {
      const found = problemOf(error);
      if (found.status === 412) {
        const { item } = base;
        setConflict(
          await readBase(
            section,
            (other) => item !== undefined && section.addressOf(other) === section.addressOf(item),
          ),
        );
      } else setProblem(found);
      return false;
    } finally {
      setBusy(false);
    }
  };

  const form: FormState = {
    original: base.item,
    change(path, put) {
      setProblem(undefined);
      setValue((before) => asObject(withValue(before, path, put)));
    },
    touch: (path) => setTouched((before) => new Set([...before, pathText(path)])),
    messagesAt: (path) =>
      shown.filter((diagnostic) => diagnostic.path === pathText(path)).map(({ message }) => message),
    countBelow: (path: Path) => shown.filter((diagnostic) => isBelow(diagnostic.path, pathText(path))).length,
    namesFor: (key) =>
      section.name === "routes" && (key === "upstream" || key === "mirror")
        ? itemsOf(base.document, "upstreams").map((upstream) => fieldText(upstream["name"]))
        : undefined,
  };

  return {
    base,
    value,
    isChanged,
    isRestored: draft !== undefined,
    isBusy,
    check,
    own: shown,
    others,
    problem,
    conflict,
    form,
    save,
    keepTyped() {
      if (conflict === undefined) return;
      setValue(applyMergePatch(conflict.item ?? {}, mergePatch(base.item ?? {}, value)));
      setBase(conflict);
      setConflict(undefined);
    },
    discardTyped() {
      const next = conflict ?? base;
      setBase(next);
      setValue(next.item ?? section.begin);
      setConflict(undefined);
      setProblem(undefined);
      setSubmitted(false);
    },
  };
}

async function send(section: Section, base: Base, value: JsonObject): Promise<void> {
  if (base.item === undefined) {
    await call(`/v1/${section.name}`, { method: "POST", body: value });
    return;
  }
  const body = mergePatch(base.item, value);
  await call(section.addressOf(base.item), { method: "PATCH", body, ifMatch: base.etag });
}

function asObject(value: unknown): JsonObject {
  // Forms change keys of an object, so the result is an object.
  return isObject(value as JsonObject) ? (value as JsonObject) : {};
}
