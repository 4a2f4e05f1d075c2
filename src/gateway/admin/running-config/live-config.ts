import { messageOf } from "../../../lib/caught.ts";
import { type PackedJson, packSteps, unpackSteps } from "../../../lib/packed-json.ts";
import { inSlices } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic, valueAt } from "../../config/diagnostic.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { isDeeper, MAX_DEPTH } from "../../config/json.ts";
import { failed, type Loaded, readConfigBytes } from "../../config/load.ts";
import { type ParseCache } from "../../config/parse.ts";
import { shownSteps, withKeptSecrets, withoutSecrets } from "../../config/secrets.ts";
import { type Actor, type OnEvent } from "../../telemetry/event.ts";
import { withAddedKeys } from "./added-keys.ts";
import { applyEdit, type Edited } from "./apply-edit.ts";
import { changeEvent, detailOf, persistEvent, reloadEvent } from "./config-events.ts";
import { ConfigFile } from "./config-file.ts";
import { type ConfigSource, documentIn, documentSteps, type OpenedConfig } from "./config-source.ts";
import { pointerOf } from "./diagnostic-pointer.ts";
import { fileSteps } from "./file-keys.ts";
import { guardLosses } from "./guard-losses.ts";
import { differenceSteps, isSame } from "./json-difference.ts";
import { fitting, judge, type Judged, type Judgement, type JudgeJob } from "./judge.ts";
import { judgeInThread } from "./judge-thread.ts";
import { restartKeys } from "./restart-keys.ts";
import {
  type Busy,
  type ChangeOutcome,
  type ChangeRules,
  type CheckOutcome,
  type Edit,
  type EditDiagnostic,
  type Failed,
  type Invalid,
  type JsonPatchOperation,
  type LastReload,
  type PersistOutcome,
  type ReloadOutcome,
  type RunningConfig,
  type Unreadable,
} from "./running-config.ts";
import { sharedSteps } from "./shared-parts.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Changes, reloads and writes that wait for their turn; each can take seconds. If there are more, the next one is refused. */
const MAX_WAITING = 64;

/** Checks that run or wait, one after another. If there are more, the next one is refused. */
const MAX_CHECKS = 4;

/** The configuration at the start, and the functions that apply and report its changes. */
export interface LiveConfigOptions {
  /** The configuration at the start. It has no errors. */
  readonly opened: OpenedConfig;
  /** Serves with a configuration in every worker, or rejects and changes nothing. */
  readonly apply: (config: Config) => Promise<void>;
  /** Called for everything that was requested, with its outcome. */
  readonly onEvent: OnEvent;
  /** Called after each reload of the file. */
  readonly countReload: (success: boolean) => void;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

/** Bytes of a file that is parsed without a thread, because that takes a millisecond. */
const MAX_INLINE_BYTES = 16_384;
/** Characters of a part of a document that is loaded in one slice: a section, or 50 items of a list. */
const MAX_PART = 262_144;

/** A configuration that can be served, with the guards that paths would lose. */
interface Accepted {
  readonly kind: "accepted";
  readonly next: Served;
  readonly warnings: readonly EditDiagnostic[];
  readonly losses: readonly EditDiagnostic[];
}

type FileOutcome = { kind: "done" | "invalid" | "failed" };

interface FileText {
  readonly bytes: Uint8Array;
  readonly path: string;
  readonly strict: boolean;
}

/** The served configuration, and its document. */
interface Served {
  readonly document: unknown;
  readonly config: Config;
}

/** The place of the value that was sent in a document. With `strict`, warnings are errors. */
interface Judging {
  readonly at: Edited["at"];
  readonly strict: boolean;
}

/** The running configuration of a gateway: see `RunningConfig`. */
export class LiveConfig implements RunningConfig {
  readonly #options: LiveConfigOptions;
  readonly #source: ConfigSource;
  readonly #turns = new TurnQueue(MAX_WAITING);
  readonly #checks = new TurnQueue(MAX_CHECKS);
  readonly #cache: ParseCache;
  readonly #start = crypto.randomUUID();
  #file: ConfigFile | undefined;
  /** The configuration at the start of the gateway. Some keys keep their values until a restart. */
  readonly #atStart: Config;
  /** The document when the file was last read or written. */
  #saved: unknown;
  #savedConfig: Config;
  #served: Served;
  #changes = 0;
  #lastReload: LastReload | null = null;
  /** Results that are computed from the documents, until the documents change. */
  #difference: Promise<readonly JsonPatchOperation[]> | undefined;
  #shown: Promise<unknown> | undefined;
  #isChanged = false;

  constructor(options: LiveConfigOptions) {
    const { source, document, bytes, loaded, cache } = options.opened;
    if (loaded.config === undefined) throw new Error("Cannot keep a configuration: it has problems");
    this.#options = options;
    this.#source = source;
    this.#cache = cache;
    this.#served = { document, config: loaded.config };
    this.#saved = document;
    this.#savedConfig = this.#atStart = loaded.config;
    if (source.path !== undefined && bytes !== undefined)
      this.#file = new ConfigFile(source.path, bytes, options.clock);
  }

  get revision(): string {
    return `${this.#start}.${this.#changes}`;
  }

  get config(): Config {
    return this.#served.config;
  }

  get lastReload(): LastReload | null {
    return this.#lastReload;
  }

  get file(): RunningConfig["file"] {
    return {
      path: this.#file?.path ?? null,
      writesTo: this.#source.writesTo ?? this.#file?.path ?? null,
      changedInMemory: this.#isChanged,
      changedOnDisk: this.#file?.changed ?? false,
    };
  }

  document(): Promise<unknown> {
    return (this.#shown ??= inSlices(shownSteps(this.#served.document)));
  }

  difference(): Promise<readonly JsonPatchOperation[]> {
    return (this.#difference ??= inSlices(differenceSteps(this.#saved, this.#served.document, withoutSecrets)));
  }

  async check(bytes: Uint8Array): Promise<CheckOutcome | Unreadable | Busy> {
    return (await this.#checks.run(() => this.#check(bytes))) ?? BUSY;
  }

  async #check(bytes: Uint8Array): Promise<CheckOutcome | Unreadable> {
    const judgement = await this.#judgeBody(bytes, { asks: "difference", strict: false });
    if (judgement.kind === "unreadable") return judgement;
    const { ok, problems, warnings, difference, restart, document } = judgement;
    const next = document === undefined ? undefined : await this.#load(document, false);
    const files = next === undefined ? [] : await this.#newFiles(next.document);
    const losses = next?.config === undefined ? [] : await this.#losses(next.config);
    const told = {
      problems: diagnosticsIn([...problems, ...files], []),
      warnings: diagnosticsIn([...warnings, ...losses], []),
    };
    return { kind: "checked", ok: ok && files.length === 0, ...told, difference, restart };
  }

  async change(edit: Edit, by: Actor, rules: ChangeRules = {}): Promise<ChangeOutcome> {
    const outcome = (await this.#turns.run(() => this.#change(edit, rules))) ?? BUSY;
    this.#options.onEvent(changeEvent(edit, by, outcome));
    return outcome;
  }

  async reload(by: Actor, { strict = false }: Pick<ChangeRules, "strict"> = {}): Promise<ReloadOutcome> {
    // A signal cannot be repeated by its sender, so its reload always waits.
    const outcome = (await this.#turns.run(() => this.#reload(this.#sourceOf(strict)), by.kind === "signal")) ?? BUSY;
    this.#options.countReload(outcome.kind === "done");
    const discarded = outcome.kind === "done" ? outcome.discarded : [];
    this.#lastReload = {
      time_ms: (this.#options.clock ?? Date.now)(),
      by,
      ok: outcome.kind === "done",
      detail: detailOf(outcome),
      discarded,
    };
    this.#options.onEvent(reloadEvent(this.#lastReload, outcome));
    return outcome;
  }

  async persist(by: Actor, options: { readonly force: boolean }, ifMatch?: readonly string[]): Promise<PersistOutcome> {
    const outcome = (await this.#turns.run(() => this.#persist(options.force, ifMatch))) ?? BUSY;
    this.#options.onEvent(persistEvent(by, outcome));
    return outcome;
  }

  #isStale(ifMatch: readonly string[] | undefined): boolean {
    return ifMatch !== undefined && !ifMatch.includes("*") && !ifMatch.includes(this.revision);
  }

  #sourceOf(strict: boolean): ConfigSource {
    return strict ? { ...this.#source, strict } : this.#source;
  }

  /** The guards that paths would lose with another configuration. */
  #losses(after: Config, changed?: number): Promise<Diagnostic[]> {
    return inSlices(guardLosses({ before: this.#served.config, after, saved: this.#savedConfig, changed }));
  }

  /** The files that a changed document may not name. */
  #newFiles(document: unknown): Promise<Diagnostic[]> {
    return inSlices(fileSteps(document, this.#served.document, this.#saved));
  }

  async #change(edit: Edit, { ifMatch, strict = false, force = false }: ChangeRules): Promise<ChangeOutcome> {
    if (this.#isStale(ifMatch)) return { kind: "stale" };
    if (edit.kind === "replace") return this.#replace(edit.bytes, strict, force);
    const { document } = this.#served;
    const edited = applyEdit(document, edit);
    if (edited.kind !== "edited") return edited;
    const next = withSecretsOf(edited, document);
    const { config, problems, warnings } = await this.#judge(next, { at: edited.at, strict });
    const files = await this.#newFiles(next);
    if (config === undefined || files.length > 0) return invalid([...problems, ...files], warnings, edited.at);
    const losses = await this.#losses(config, changedRoute(edited));
    const [told, lost] = [diagnosticsIn(warnings, edited.at), diagnosticsIn(losses, edited.at)];
    if (losses.length > 0 && !force) return { kind: "guarded", losses: lost, warnings: told };
    return this.#serve({ document: next, config }, [...told, ...lost]);
  }

  async #replace(bytes: Uint8Array, strict: boolean, force: boolean): Promise<ChangeOutcome> {
    const judgement = await this.#judgeBody(bytes, { asks: "document", strict });
    if (judgement.kind === "unreadable") return judgement;
    const accepted = await this.#accept(judgement, strict);
    if (accepted.kind === "invalid") return accepted;
    const { next, warnings, losses } = accepted;
    const files = await this.#newFiles(next.document);
    if (files.length > 0) return invalid(files, [], []);
    if (losses.length > 0 && !force) return { kind: "guarded", losses, warnings };
    return this.#serve(next, [...warnings, ...losses]);
  }

  /** Serves with the text of a file. Only a text with diagnostics, or with long parts, is judged in a thread, which takes longer. */
  async #loadText({ bytes, path, strict }: FileText): Promise<Extract<ChangeOutcome, FileOutcome>> {
    const text = { bytes, from: { kind: "file", path }, strict } as const;
    const parse = bytes.length > MAX_INLINE_BYTES ? judgeInThread : judge;
    const parsed = await parse(this.#jobOf({ ...text, asks: "text" }));
    const isPlain = parsed.kind === "judged" && parsed.document !== undefined && isInParts(parsed.document);
    let accepted = isPlain ? await this.#accept(parsed, strict) : undefined;
    if (accepted === undefined || accepted.kind === "invalid" || accepted.warnings.length > 0) {
      // Its diagnostics have their positions in the text.
      const judged = await judgeInThread(this.#jobOf({ ...text, asks: "document" }));
      if (judged.kind === "unreadable") return { kind: "failed", reason: judged.reason };
      if (accepted?.kind !== "accepted") accepted = await this.#accept(judged, strict);
      if (accepted.kind === "invalid") return accepted;
      accepted = { ...accepted, warnings: diagnosticsIn(judged.warnings, []) };
    }
    const { next, warnings, losses } = accepted;
    // The file is the operator's own word: losses are warnings.
    if (losses.length > 0 && strict) return { kind: "invalid", problems: losses, warnings: [] };
    return this.#serve(next, [...warnings, ...losses]);
  }

  /** Loads a document that a thread has judged. */
  async #accept({ problems, warnings: told, document: packed }: Judged, strict: boolean): Promise<Accepted | Invalid> {
    if (packed === undefined) return invalid(problems, told, []);
    const { config, document, ...loaded } = await this.#load(packed, strict);
    if (config === undefined) return invalid(loaded.problems, loaded.warnings, []);
    const losses = diagnosticsIn(await this.#losses(config), []);
    return { kind: "accepted", next: { document, config }, warnings: diagnosticsIn(loaded.warnings, []), losses };
  }

  /** Loads a document in slices, because a thread cannot pass on the objects that are known. */
  async #load(packed: PackedJson, strict: boolean): Promise<Loaded & { readonly document: unknown }> {
    const document = await inSlices(sharedSteps(await inSlices(unpackSteps(packed)), this.#served.document));
    return { ...(await this.#judge(document, { at: [], strict })), document };
  }

  async #judgeBody(bytes: Uint8Array, { asks, strict }: Pick<JudgeJob, "asks" | "strict">): Promise<Judgement> {
    const running = await inSlices(packSteps(Object(this.#served.document)));
    return judgeInThread(this.#jobOf({ bytes, from: { kind: "body", running }, asks, strict }));
  }

  #jobOf(text: Pick<JudgeJob, "bytes" | "from" | "asks" | "strict">): JudgeJob {
    const { server, state_path, content, postgres } = this.#atStart;
    const { parts, flags } = this.#source;
    const atStart = { server, state_path, content, postgres };
    return { ...text, parts: parts === undefined ? {} : parts(), flags, atStart };
  }

  /** Loads a document. The value `at` a place in it must not be nested deeper than a text may be. */
  async #judge(document: unknown, { at, strict }: Judging = { at: [], strict: false }): Promise<Loaded> {
    const isItem = at.length === 2;
    if (isItem && isDeeper(valueAt(document, at), MAX_DEPTH - at.length))
      return failed(`expected at most ${MAX_DEPTH} levels`);
    return fitting(await inSlices(documentSteps(document, this.#sourceOf(strict), this.#cache)), this.#atStart);
  }

  /** Serves with another configuration, or continues with the old one. */
  async #serve(
    next: Served,
    warnings: readonly EditDiagnostic[],
  ): Promise<Extract<ChangeOutcome, { kind: "done" }> | Failed> {
    try {
      await this.#options.apply(next.config);
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
    const restart = restartKeys(this.#atStart, next.config);
    if (!isSame(next.document, this.#served.document)) this.#changes++;
    this.#served = next;
    this.#forget();
    return { kind: "done", revision: this.revision, warnings, restart };
  }

  async #reload(source: ConfigSource): Promise<ReloadOutcome> {
    const file = this.#file;
    if (file === undefined) return { kind: "no-file" };
    let bytes: Uint8Array;
    try {
      bytes = await readConfigBytes(file.path);
    } catch (error) {
      return invalid(failed(messageOf(error)).problems, [], []);
    }
    const memory = this.#served.document;
    const saved = this.#saved;
    const outcome = await this.#loadText({ bytes, path: file.path, strict: source.strict === true });
    if (outcome.kind !== "done") return outcome;
    this.#saved = this.#served.document;
    this.#forget();
    this.#savedConfig = this.#served.config;
    file.hasNow(bytes);
    return { ...outcome, discarded: await inSlices(differenceSteps(saved, memory, withoutSecrets)) };
  }

  async #persist(force: boolean, ifMatch: readonly string[] | undefined): Promise<PersistOutcome> {
    if (this.#isStale(ifMatch)) return { kind: "stale" };
    const from = this.#file;
    if (from === undefined) return { kind: "no-file" };
    const { writesTo = from.path } = this.#source;
    const to = writesTo === from.path ? from : new ConfigFile(writesTo, undefined, this.#options.clock);
    // Loaded with the first write (bench start).
    const { movedDocument, writeDocument } = await import("./write-document.ts");
    const moved = movedDocument(this.#served.document, from.path, to.path);
    const document = force && to.changed ? withAddedKeys(moved, await documentIn(to.path), this.#saved) : moved;
    const like = { text: from.text, document: this.#saved, format: (await formatOf(from.path)).name };
    const outcome = await writeDocument(to, { document, like, force, source: this.#source });
    if (outcome.kind !== "done") return outcome;
    this.#file = to;
    this.#saved = document;
    this.#savedConfig = this.#served.config;
    if (!isSame(document, this.#served.document)) this.#changes++;
    this.#served = { ...this.#served, document };
    this.#forget();
    return outcome;
  }

  /** Forgets the computed results, because the document has changed. */
  #forget(): void {
    this.#difference = undefined;
    this.#shown = undefined;
    this.#isChanged = !isSame(this.#saved, this.#served.document);
  }
}

/** The index of a route that an edit changes; undefined for another edit. */
function changedRoute({ at: [list, index], before }: Edited): number | undefined {
  return list === "routes" && before !== undefined && typeof index === "number" ? index : undefined;
}

const BUSY = { kind: "busy" } as const;

function isInParts(document: PackedJson): boolean {
  return document.every(([, text]) => [text].flat().every(({ length }) => length <= MAX_PART));
}

/** The edited document, with the secrets of the previous document in place of placeholders. */
function withSecretsOf({ document, at, before }: Edited, old: unknown): unknown {
  if (before === undefined) return document;
  const [list = "", index] = at;
  if (index === undefined || typeof document !== "object" || document === null) return document;
  const items: unknown = Reflect.get(document, list);
  if (!Array.isArray(items) || typeof index !== "number") return document;
  const kept = withKeptSecrets(items[index], valueAt(old, before), at);
  return { ...document, [list]: items.with(index, kept) };
}

function diagnosticsIn(diagnostics: readonly Diagnostic[], at: readonly (string | number)[]): EditDiagnostic[] {
  return diagnostics.map((diagnostic) => {
    const pointer = pointerOf(diagnostic.path, at);
    return pointer === undefined ? diagnostic : { ...diagnostic, pointer };
  });
}

function invalid(
  problems: readonly Diagnostic[],
  warnings: readonly Diagnostic[],
  at: readonly (string | number)[],
): Invalid {
  return { kind: "invalid", problems: diagnosticsIn(problems, at), warnings: diagnosticsIn(warnings, at) };
}
