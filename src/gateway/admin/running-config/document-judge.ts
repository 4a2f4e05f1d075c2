/** Judges documents and texts: can the gateway serve with them, and what would that change? */
import { packSteps, type PackedJson, unpackSteps } from "../../../lib/memory/packed-json.ts";
import { isObject } from "../../../lib/is-object.ts";
import { inSlices } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic, type Findings, valueAt } from "../../config/diagnostic.ts";
import { isDeeper, MAX_DEPTH } from "../../config/formats/json.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { configText } from "../../config/load.ts";
import { type ParseCache } from "../../config/parse.ts";
import { withKeptSecrets } from "../../config/secrets.ts";
import { type Edited } from "./apply-edit.ts";
import { type ConfigSource, documentSteps, withFindings } from "./config-source.ts";
import { fileSteps } from "./file-keys.ts";
import { guardLosses } from "./guard-losses.ts";
import { replacementLosses } from "./replacement-losses.ts";
import { fitting, type FileJob, type Judged, type JudgeJob } from "./judge.ts";
import { judgeInThread } from "./judge-thread.ts";
import { type AtStart } from "./restart-keys.ts";
import { type Unreadable } from "./running-config.ts";
import { sharedSteps } from "./shared-parts.ts";

/** Bytes of a file that is parsed without a thread, because that takes a millisecond. */
const MAX_INLINE_BYTES = 16_384;
/** Characters of a part of a document that is loaded in one slice: a section, or 50 items of a list. */
const MAX_PART = 262_144;

const NOTHING: Findings = { problems: [], warnings: [] };

export interface Served {
  readonly document: unknown;
  readonly config: Config;
}

/** The configurations with which a document is compared. */
export interface Standing {
  readonly served: Served;
  /** As the file was last read or written. */
  readonly saved: Served;
}

export interface Candidate extends Findings {
  /** Set if the gateway can serve with it. */
  readonly next: Served | undefined;
  /** The guards, routes and interfaces that would be lost. */
  readonly losses: readonly Diagnostic[];
}

/** Checks a valid configuration's files and secrets. `isEdit`: one item differs from `served`. Never rejects. */
export type CheckMaterial = (
  config: Config,
  since: { readonly served: Config; readonly isEdit: boolean },
) => Promise<Findings>;

interface JudgeDeps {
  readonly source: ConfigSource;
  readonly cache: ParseCache;
  readonly atStart: AtStart;
  /** By default, files and secrets are not checked. */
  readonly checkMaterial?: CheckMaterial | undefined;
}

/** The origin of a document: it decides which rules hold. */
interface Origin {
  readonly strict: boolean;
  /** The operator's own file may name all files. */
  readonly isFile?: true;
  /** A client sends all of it, so what it leaves out is lost. */
  readonly isBody?: true;
  readonly edited?: Edited;
}

interface FileText {
  readonly bytes: Uint8Array;
  readonly path: string;
  readonly strict: boolean;
}

/** A judged document, and what was found beside its text. */
type Loaded = Candidate & { readonly found: Findings };

/**
 * Judges whether documents are valid, and what would change from the served one. Texts are judged in a thread; valid
 * documents are loaded in slices, beside traffic.
 */
export class DocumentJudge {
  readonly #deps: JudgeDeps;

  constructor(deps: JudgeDeps) {
    this.#deps = deps;
  }

  async edit(edited: Edited, standing: Standing, strict: boolean): Promise<Candidate> {
    const { at } = edited;
    const document = withSecretsOf(edited, standing.served.document);
    // The value of an edit must not be nested deeper than a text may be.
    if (at.length === 2 && isDeeper(valueAt(document, at), MAX_DEPTH - at.length)) {
      const problems = [{ path: "", message: `expected at most ${MAX_DEPTH} levels` }];
      return { next: undefined, problems, warnings: [], losses: [] };
    }
    return await this.#load(document, standing, { strict, edited });
  }

  /** Judges the body of a request. `asks`: see `JudgeJob`. */
  async body(
    bytes: Uint8Array,
    standing: Standing,
    { asks, strict }: Pick<JudgeJob, "asks" | "strict">,
  ): Promise<Unreadable | (Pick<Judged, "difference" | "restart" | "kind"> & { readonly candidate: Candidate })> {
    const running = await inSlices(packSteps(Object(standing.served.document)));
    const judged = await judgeInThread(this.#jobOf({ bytes, from: { kind: "body", running }, asks, strict }));
    if (judged.kind === "unreadable") return judged;
    return { ...judged, candidate: await this.#unpack(judged, standing, { strict, isBody: true }) };
  }

  /** Judges the text of the file: in a thread if it is long or has diagnostics. */
  async file({ bytes, path, strict }: FileText, standing: Standing): Promise<Candidate> {
    const text = { bytes, from: { kind: "file", path }, strict } as const;
    const origin = { strict, isFile: true } as const;
    const document = await documentIn(bytes, path);
    let loaded = document && (await this.#loadShared(document, standing, origin));
    if (loaded === undefined) {
      const judged = await this.#judgeFile(text);
      loaded = await this.#unpack(judged, standing, origin);
      if (judged.document === undefined) return loaded;
    }
    if (loaded.problems.length + loaded.warnings.length === 0) return loaded;
    // Its diagnostics get their positions in the text.
    const { problems, warnings } = await judgeInThread(this.#jobOf({ ...text, asks: "document", found: loaded.found }));
    return { ...loaded, problems, warnings };
  }

  async #judgeFile(text: Pick<FileJob, "bytes" | "from" | "strict">): Promise<Judged> {
    const parsed = await judgeInThread(this.#jobOf({ ...text, asks: "text" }));
    const isPlain = parsed.document !== undefined && isInParts(parsed.document);
    return isPlain ? parsed : judgeInThread(this.#jobOf({ ...text, asks: "document" }));
  }

  /** Loads a document that a thread has judged, in slices, because a thread cannot pass on the objects that are known. */
  async #unpack({ problems, warnings, document }: Judged, standing: Standing, origin: Origin): Promise<Loaded> {
    if (document === undefined) return { next: undefined, problems, warnings, losses: [], found: NOTHING };
    return await this.#loadShared(await inSlices(unpackSteps(document)), standing, origin);
  }

  async #loadShared(document: object, standing: Standing, origin: Origin): Promise<Loaded> {
    return await this.#load(await inSlices(sharedSteps(document, standing.served.document)), standing, origin);
  }

  async #load(document: unknown, { served, saved }: Standing, origin: Origin): Promise<Loaded> {
    const { source, cache, atStart, checkMaterial } = this.#deps;
    const { strict, isFile, edited } = origin;
    const own = strict ? { ...source, strict } : source;
    const loaded = fitting(await inSlices(documentSteps(document, own, cache)), atStart);
    // No file is opened that the document may not name.
    const named = isFile === true ? [] : await inSlices(fileSteps(document, served.document, saved.document));
    const since = { served: served.config, isEdit: edited !== undefined };
    const isOpen = loaded.config !== undefined && named.length === 0;
    const material = isOpen ? await checkMaterial?.(loaded.config, since) : undefined;
    const found = material ?? { problems: named, warnings: [] };
    const { config, problems, warnings } = withFindings(loaded, found, own.strict);
    if (config === undefined) return { next: undefined, problems, warnings, losses: [], found };
    const changed = edited && changedRoute(edited);
    const losses = await inSlices(guardLosses({ before: served.config, after: config, saved: saved.config, changed }));
    if (origin.isBody === true) losses.push(...(await inSlices(replacementLosses(served.config, config))));
    return { next: { document, config }, problems, warnings, losses, found };
  }

  #jobOf<From extends JudgeJob["from"]>(
    text: Pick<JudgeJob, "bytes" | "asks" | "strict" | "found"> & { readonly from: From },
  ): JudgeJob & { readonly from: From } {
    const { source, atStart } = this.#deps;
    const { parts, flags } = source;
    return { ...text, parts: parts === undefined ? {} : parts(), flags, atStart };
  }
}

/** The index of a route that an edit changes; undefined for another edit. */
function changedRoute({ at: [list, index], before }: Edited): number | undefined {
  return list === "routes" && before !== undefined && typeof index === "number" ? index : undefined;
}

/** The document in a file; undefined if a thread must read it. */
async function documentIn(bytes: Uint8Array, path: string): Promise<object | undefined> {
  const format = await formatOf(path);
  try {
    const parsed = bytes.length <= MAX_INLINE_BYTES ? format.parse(configText(bytes)) : undefined;
    return parsed?.ok === true && isObject(parsed.value) ? parsed.value : undefined;
  } catch {
    // Not UTF-8: the thread reports it.
    return undefined;
  }
}

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
