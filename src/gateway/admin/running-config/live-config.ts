import { messageOf } from "../../../lib/caught.ts";
import { inSlices } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { readConfigBytes } from "../../config/load.ts";
import { shownSteps, withoutSecrets } from "../../config/secrets.ts";
import { type Actor, type OnEvent } from "../../telemetry/event.ts";
import { withAddedKeys } from "./added-keys.ts";
import { applyEdit } from "./apply-edit.ts";
import { changeEvent, detailOf, persistEvent, reloadEvent } from "./config-events.ts";
import { ConfigFile } from "./config-file.ts";
import { type ConfigSource, documentIn, type OpenedConfig } from "./config-source.ts";
import { diagnosticsIn } from "./diagnostic-pointer.ts";
import { type Candidate, type CheckMaterial, DocumentJudge, type Served, type Standing } from "./document-judge.ts";
import { isSame } from "../../../lib/is-same.ts";
import { differenceSteps } from "./text/json-difference.ts";
import { type AtStart, atStartOf, restartKeys } from "./restart-keys.ts";
import {
  type Busy,
  type ChangeOutcome,
  type ChangeRules,
  type CheckOutcome,
  type Edit,
  type EditDiagnostic,
  type Failed,
  type InUse,
  type PersistOutcome,
  type ReloadOutcome,
  type Unreadable,
} from "./running-config.ts";
import { type PatchOperation } from "../shapes/common.ts";
import { type LastReload } from "../shapes/status.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Changes, reloads and writes that wait for their turn; each can take seconds. If there are more, the next one is refused. @operator */
const MAX_WAITING = 64;

/** Checks with one key that run or wait, one after another. If there are more, the next one is refused. */
const MAX_CHECKS = 4;

/** The configuration at the start, and the functions that apply and report its changes. */
export interface LiveConfigOptions {
  /** The configuration at the start. It has no errors. */
  readonly opened: OpenedConfig;
  /** Serves with a configuration in every worker, or rejects and changes nothing. */
  readonly apply: (config: Config) => Promise<void>;
  /** Checks files and secrets of the next configuration; left out: they are not checked. */
  readonly checkMaterial?: CheckMaterial;
  /** Called for everything that was requested, with its outcome. */
  readonly onEvent: OnEvent;
  /** Called after each reload of the file. */
  readonly countReload: (success: boolean) => void;
  /** Unix milliseconds. */
  readonly clock?: () => number;
}

const BUSY = { kind: "busy" } as const;

/**
 * The running configuration of a gateway and its file: a JSON document that operators change, check, reload from the file
 * and write to it. Changes, reloads and writes run one after another.
 */
export class LiveConfig {
  /** Without the document at the start, which would stay in memory after reloads. */
  readonly #options: Omit<LiveConfigOptions, "opened">;
  readonly #source: ConfigSource;
  readonly #turns = new TurnQueue(MAX_WAITING);
  /** Checks with the read-only key do not delay those of operators. */
  readonly #checks = { operator: new TurnQueue(MAX_CHECKS), reader: new TurnQueue(MAX_CHECKS) };
  readonly #judge: DocumentJudge;
  readonly #start = crypto.randomUUID();
  #file: ConfigFile | undefined;
  /** The keys that keep their values until a restart. */
  readonly #atStart: AtStart;
  #standing: Standing;
  #changes = 0;
  #lastReload: LastReload | null = null;
  /** Results that are computed from the documents, until the documents change. */
  #difference: Promise<readonly PatchOperation[]> | undefined;
  #shown: Promise<unknown> | undefined;
  #isChanged = false;

  constructor({ opened, ...options }: LiveConfigOptions) {
    const { source, document, bytes, loaded, cache } = opened;
    if (loaded.config === undefined) throw new Error("Cannot keep a configuration: it has problems");
    this.#options = options;
    this.#source = source;
    const served = { document, config: loaded.config };
    this.#standing = { served, saved: served };
    this.#atStart = atStartOf(loaded.config);
    this.#judge = new DocumentJudge({
      source,
      cache,
      atStart: this.#atStart,
      checkMaterial: options.checkMaterial,
    });
    if (source.path !== undefined && bytes !== undefined)
      this.#file = new ConfigFile(source.path, bytes, options.clock);
  }

  /** Opaque; each change of the configuration changes it. */
  get revision(): string {
    return `${this.#start}.${this.#changes}`;
  }

  /** The served configuration, with defaults and flags. It contains secrets. */
  get config(): Config {
    return this.#standing.served.config;
  }

  get lastReload(): LastReload | null {
    return this.#lastReload;
  }

  /** `path` is null if there is no file. `writesTo` is the file that the document is written to. */
  get file(): {
    readonly path: string | null;
    readonly writesTo: string | null;
    readonly changedInMemory: boolean;
    readonly changedOnDisk: boolean;
  } {
    return {
      path: this.#file?.path ?? null,
      writesTo: this.#source.writesTo ?? this.#file?.path ?? null,
      changedInMemory: this.#isChanged,
      changedOnDisk: this.#file?.changed ?? false,
    };
  }

  /** The document, with secrets replaced. */
  document(): Promise<unknown> {
    return (this.#shown ??= inSlices(shownSteps(this.#standing.served.document)));
  }

  /** The operations from the file, as last read or written, to the document. */
  difference(): Promise<readonly PatchOperation[]> {
    const { served, saved } = this.#standing;
    return (this.#difference ??= inSlices(differenceSteps(saved.document, served.document, withoutSecrets)));
  }

  /** The effect of serving with a document, as JSON. */
  async check(bytes: Uint8Array, by: Actor): Promise<CheckOutcome | Unreadable | Busy> {
    const checks = this.#checks[by.key === "read_api_key" ? "reader" : "operator"];
    return (await checks.run(() => this.#check(bytes))) ?? BUSY;
  }

  async #check(bytes: Uint8Array): Promise<CheckOutcome | Unreadable> {
    const judged = await this.#judge.body(bytes, this.#standing, { asks: "difference", strict: false });
    if (judged.kind === "unreadable") return judged;
    const { candidate, difference, restart } = judged;
    const { next, problems, warnings, losses } = candidate;
    const told = { problems: diagnosticsIn(problems, []), warnings: diagnosticsIn([...warnings, ...losses], []) };
    return { kind: "checked", ok: next !== undefined, ...told, difference, restart };
  }

  /** Serves with the changed document, or changes nothing. */
  async change(edit: Edit, by: Actor, rules: ChangeRules = {}): Promise<ChangeOutcome> {
    const outcome = (await this.#turns.run(() => this.#change(edit, rules))) ?? BUSY;
    this.#options.onEvent(changeEvent(edit, by, outcome));
    return outcome;
  }

  /** Serves with the current content of the file. `strict`: not if it has warnings. */
  async reload(by: Actor, { strict = false }: Pick<ChangeRules, "strict"> = {}): Promise<ReloadOutcome> {
    // A signal cannot be repeated by its sender, so its reload always waits.
    const outcome = (await this.#turns.run(() => this.#reload(strict), by.kind === "signal")) ?? BUSY;
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

  /** Writes the document to the file. `force`: even if another program has changed the file. */
  async persist(by: Actor, options: { readonly force: boolean }, ifMatch?: readonly string[]): Promise<PersistOutcome> {
    const outcome = (await this.#turns.run(() => this.#persist(options.force, ifMatch))) ?? BUSY;
    this.#options.onEvent(persistEvent(by, outcome));
    return outcome;
  }

  #isStale(ifMatch: readonly string[] | undefined): boolean {
    return ifMatch !== undefined && !ifMatch.includes("*") && !ifMatch.includes(this.revision);
  }

  async #change(edit: Edit, { ifMatch, strict = false, force = false }: ChangeRules): Promise<ChangeOutcome> {
    if (this.#isStale(ifMatch)) return { kind: "stale" };
    if (edit.kind === "replace") {
      const judged = await this.#judge.body(edit.bytes, this.#standing, { asks: "document", strict });
      return judged.kind === "unreadable" ? judged : this.#take(judged.candidate, [], force);
    }
    const edited = applyEdit(this.#standing.served.document, edit);
    if (edited.kind !== "edited") return edited;
    return this.#take(await this.#judge.edit(edited, this.#standing, strict), edited.at, force);
  }

  /** Serves with a candidate. With losses, only by `force`. `at` is the place of the value that the client sent. */
  async #take(
    { next, ...told }: Candidate,
    at: readonly (string | number)[],
    force: boolean,
  ): Promise<Extract<ChangeOutcome, { kind: "done" | "guarded" | "invalid" | "failed" }>> {
    const warnings = diagnosticsIn(told.warnings, at);
    if (next === undefined) return { kind: "invalid", problems: diagnosticsIn(told.problems, at), warnings };
    const losses = diagnosticsIn(told.losses, at);
    if (losses.length > 0 && !force) return { kind: "guarded", losses, warnings };
    return this.#serve(next, [...warnings, ...losses]);
  }

  /** Serves with another configuration, or continues with the old one. */
  async #serve(next: Served, warnings: readonly EditDiagnostic[]): Promise<InUse | Failed> {
    try {
      await this.#options.apply(next.config);
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
    const restart = restartKeys(this.#atStart, next.config);
    this.#keep({ served: next, saved: this.#standing.saved });
    return { kind: "done", revision: this.revision, warnings, restart };
  }

  async #reload(strict: boolean): Promise<ReloadOutcome> {
    const file = this.#file;
    if (file === undefined) return { kind: "no-file" };
    let bytes: Uint8Array;
    try {
      bytes = readConfigBytes(file.path);
    } catch (error) {
      return { kind: "invalid", problems: [{ path: "", message: messageOf(error) }], warnings: [] };
    }
    const { served, saved } = this.#standing;
    const text = { bytes, path: file.path, strict: strict || this.#source.strict === true };
    const candidate = await this.#judge.file(text, this.#standing);
    const { next, losses } = candidate;
    const warnings = diagnosticsIn(candidate.warnings, []);
    // The file is the operator's own word: losses are warnings.
    const problems = diagnosticsIn([...candidate.problems, ...(text.strict ? losses : [])], []);
    if (next === undefined || problems.length > 0) return { kind: "invalid", problems, warnings };
    const outcome = await this.#serve(next, [...warnings, ...diagnosticsIn(losses, [])]);
    if (outcome.kind !== "done") return outcome;
    this.#keep({ served: this.#standing.served, saved: this.#standing.served });
    file.hasNow(bytes);
    return {
      ...outcome,
      discarded: await inSlices(differenceSteps(saved.document, served.document, withoutSecrets)),
    };
  }

  async #persist(force: boolean, ifMatch: readonly string[] | undefined): Promise<PersistOutcome> {
    if (this.#isStale(ifMatch)) return { kind: "stale" };
    const from = this.#file;
    if (from === undefined) return { kind: "no-file" };
    const { served, saved } = this.#standing;
    const { writesTo = from.path } = this.#source;
    const to = writesTo === from.path ? from : new ConfigFile(writesTo, undefined, this.#options.clock);
    // Loaded with the first write (bench start).
    const { movedDocument, writeDocument } = await import("./write-document.ts");
    const moved = movedDocument(served.document, from.path, to.path);
    const document = force && to.changed ? withAddedKeys(moved, await documentIn(to.path), saved.document) : moved;
    const like = { text: from.text, document: saved.document, format: (await formatOf(from.path)).name };
    const outcome = await writeDocument(to, { document, like, force, source: this.#source });
    if (outcome.kind !== "done") return outcome;
    this.#file = to;
    const written = { document, config: served.config };
    this.#keep({ served: written, saved: written });
    return outcome;
  }

  /** Remembers what is served now, and forgets what was computed from the documents before. */
  #keep(next: Standing): void {
    if (!isSame(next.served.document, this.#standing.served.document)) this.#changes++;
    this.#standing = next;
    this.#difference = undefined;
    this.#shown = undefined;
    this.#isChanged = next.saved !== next.served && !isSame(next.saved.document, next.served.document);
  }
}
