/** Writes the running document to its file. */
import { dirname, resolve } from "node:path";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { diagnosticText } from "../../config/diagnostic.ts";
import { MAX_FILE_BYTES } from "../../config/load.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { type TextFormat } from "../../config/formats/text-format.ts";
import { type ConfigFile } from "./config-file.ts";
import { type ConfigSource, loadConfigText } from "./config-source.ts";
import { isSame } from "./json-difference.ts";
import { type WrittenDocument } from "./json-text.ts";
import { replaceFile } from "./replace-file.ts";
import { type PersistOutcome } from "./running-config.ts";

/** A text and its format. */
type Model = WrittenDocument & { readonly format: TextFormat["name"] };

/** The content to write, and the conditions for it. */
export interface Writing {
  readonly document: unknown;
  /** The text to keep as much of as possible; undefined: there is no such text. */
  readonly like: Model | undefined;
  /** Writes even if another program has changed the file. */
  readonly force: boolean;
  readonly source: ConfigSource;
}

/**
 * Writes the document as a text that the gateway can start with. Never rejects. The file is unchanged unless the
 * outcome is `done`.
 */
export async function writeDocument(file: ConfigFile, writing: Writing): Promise<PersistOutcome> {
  const { document, like, force, source } = writing;
  const isOurs = (): boolean => force || !file.changed;
  if (!isOurs()) return { kind: "changed-on-disk" };
  const format = await formatOf(file.path);
  const text = await textOf(document, like, format);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_FILE_BYTES) {
    return { kind: "failed", reason: `it would have more than ${MAX_FILE_BYTES} bytes`, code: undefined };
  }
  const { document: read, loaded } = loadConfigText(text, { source, format });
  if (loaded.config === undefined || !isSame(read, document)) {
    const why = loaded.problems.map(diagnosticText).join("; ") || "the written file would have other values";
    const aliases =
      format.name === "yaml" && /[&*]/.test(text) ? ". If the value has aliases, edit the file, and reload it" : "";
    return { kind: "failed", reason: `the gateway could not start with it: ${why}${aliases}`, code: undefined };
  }
  try {
    if (!(await replaceFile(file.path, bytes, isOurs))) return { kind: "changed-on-disk" };
  } catch (error) {
    const code = codeOf(error);
    return { kind: "failed", reason: REASONS[code ?? ""] ?? messageOf(error), code };
  }
  file.hasNow(bytes);
  return { kind: "done", path: file.path };
}

async function textOf(document: unknown, like: Model | undefined, { name }: TextFormat): Promise<string> {
  // A text in another format cannot be kept.
  const model = like?.format === name ? like : undefined;
  if (name === "yaml") {
    const { freshYaml, yamlText } = await import("./yaml-text.ts");
    return model === undefined ? freshYaml(document) : yamlText(model, document);
  }
  if (model === undefined) return `${JSON.stringify(document, undefined, 2)}\n`;
  const { jsonText } = await import("./json-text.ts");
  return jsonText(model, document, name === "json");
}

/**
 * The document for a file in another folder. A relative `$schema` is changed so that it still leads to the same schema.
 */
export function movedDocument(document: unknown, from: string, to: string): unknown {
  if (typeof document !== "object" || document === null || dirname(from) === dirname(to)) return document;
  const schema: unknown = Reflect.get(document, "$schema");
  if (typeof schema !== "string" || !/^\.{1,2}\//.test(schema)) return document;
  return { ...document, $schema: resolve(dirname(from), schema) };
}

/** The reason for each error code of a system call. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write the file, or files beside it",
  EDQUOT: "the quota of this user is used up",
  ENOENT: "its folder is not there",
  ENOSPC: "the disk is full",
  EPERM: "its owner or mode cannot be kept",
  EROFS: "the file system is read-only",
};
