/** Reads the document of a configuration, and compiles a configuration from it. */
import { messageOf } from "../../../lib/caught.ts";
import { atOnce, type Steps } from "../../../lib/slices.ts";
import { diagnosticText, type Findings } from "../../config/diagnostic.ts";
import { type ConfigFlags, withFlags } from "../../config/flags.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { type TextFormat } from "../../config/formats/text-format.ts";
import { configText, failed, type Loaded, loadSteps, readConfigBytes } from "../../config/load.ts";
import { type OwnParts, withOwnParts } from "../../config/own-parts.ts";
import { ParseCache } from "../../config/parse.ts";
import { locatorOf } from "../../config/source.ts";

/** The origins of a configuration: its file, the program's own parts, and the command line. */
export interface ConfigSource {
  /** Undefined: there is no file, and the document is `{}`. */
  readonly path: string | undefined;
  /** The file that the document is written to, if it is not the file that it is read from. */
  readonly writesTo?: string | undefined;
  /** The program's own parts, such as `admin` of `turnpike start`. They are never written to the file. */
  readonly parts?: () => OwnParts;
  /** Warnings are errors. */
  readonly strict?: boolean | undefined;
  /** Flags of the command line. They override the document and are never written to the file. */
  readonly flags: ConfigFlags;
}

/** A configuration that was read, with its errors and warnings. */
export interface OpenedConfig {
  readonly source: ConfigSource;
  readonly document: unknown;
  /** The file's bytes; undefined if there is no readable file. */
  readonly bytes: Uint8Array | undefined;
  readonly loaded: Loaded;
  /** Results of parsing the document's objects, for the next change. */
  readonly cache: ParseCache;
}

/** Makes a configuration from a document: adds the program's parts, checks it, applies the flags. Throws nothing. */
export function* documentSteps(document: unknown, source: ConfigSource, cache = new ParseCache()): Steps<Loaded> {
  const loaded = yield* preparedSteps(document, source, cache);
  return source.strict === true ? withoutWarnings(loaded) : loaded;
}

const NONE: Findings = { problems: [], warnings: [] };

/** The result with later findings, which get their positions in the text. With `strict`, warnings are problems. */
export function withFindings(loaded: Loaded, found: Findings = NONE, strict = false): Loaded {
  const { locate } = loaded;
  const warnings = [...loaded.warnings, ...found.warnings.map(locate)];
  const problems = [...loaded.problems, ...found.problems.map(locate)];
  const { config } = loaded;
  const isValid = config !== undefined && problems.length === 0;
  const all: Loaded = isValid
    ? { config, problems: [], warnings, locate }
    : { config: undefined, problems, warnings, locate };
  return strict ? withoutWarnings(all) : all;
}

/** The same result with its warnings as problems, except notices. */
function withoutWarnings({ config, problems, warnings, locate }: Loaded): Loaded {
  const notices = warnings.filter(({ isNotice }) => isNotice);
  if (config !== undefined && warnings.length === notices.length) return { config, problems: [], warnings, locate };
  const strict = warnings.filter(({ isNotice }) => isNotice !== true);
  return { config: undefined, problems: [...problems, ...strict], warnings: notices, locate };
}

function* preparedSteps(document: unknown, { parts, flags }: ConfigSource, cache: ParseCache): Steps<Loaded> {
  const prepared = parts === undefined ? document : withOwnParts(document, parts());
  const first = yield* loadSteps(prepared, cache);
  if (first.config === undefined || Object.values(flags).every((flag) => flag === undefined)) return first;
  const second = yield* loadSteps(withFlags(Object(prepared), flags), cache);
  const known = new Set(first.warnings.map(diagnosticText));
  const more = second.warnings.filter((warning) => !known.has(diagnosticText(warning)));
  return { ...second, warnings: [...first.warnings, ...more] };
}

/** Reads and loads a configuration. Throws nothing: errors are in the result's diagnostics. */
export async function openConfig(source: ConfigSource, cache = new ParseCache()): Promise<OpenedConfig> {
  if (source.path === undefined) {
    return { source, document: {}, bytes: undefined, loaded: atOnce(documentSteps({}, source)), cache };
  }
  let bytes: Uint8Array | undefined;
  try {
    bytes = readConfigBytes(source.path);
    return {
      source,
      bytes,
      cache,
      ...loadConfigText(configText(bytes), { source, format: await formatOf(source.path), cache }),
    };
  } catch (error) {
    return { source, document: undefined, bytes, loaded: failed(messageOf(error)), cache };
  }
}

/** The document in a file now; undefined if it cannot be read. */
export async function documentIn(path: string): Promise<unknown> {
  try {
    const format = await formatOf(path);
    const parsed = format.parse(configText(readConfigBytes(path)));
    return parsed.ok ? parsed.value : undefined;
  } catch {
    // The caller writes over the file in any case.
    return undefined;
  }
}

/** Loads a file's text. The diagnostics have their positions in the text. */
export function loadConfigText(
  text: string,
  {
    source,
    format,
    cache,
  }: { readonly source: ConfigSource; readonly format: TextFormat; readonly cache?: ParseCache },
): Pick<OpenedConfig, "document" | "loaded"> {
  const parsed = format.parse(text);
  if (!parsed.ok) return { document: undefined, loaded: failed(parsed.error) };
  const loaded = atOnce(documentSteps(parsed.value, source, cache));
  const locate = locatorOf(text, format);
  const located = { warnings: loaded.warnings.map(locate), locate };
  if (loaded.config !== undefined) return { document: parsed.value, loaded: { ...loaded, ...located } };
  return { document: parsed.value, loaded: { ...loaded, problems: loaded.problems.map(locate), ...located } };
}
