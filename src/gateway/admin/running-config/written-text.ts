/** The text of a configuration file with another document. A thread makes a long one, because that takes seconds. */
import { atOnce } from "../../../lib/slices.ts";
import { type PackedJson, unpackSteps } from "../../../lib/memory/packed-json.ts";
import { diagnosticText } from "../../config/diagnostic.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { type TextFormat } from "../../config/formats/text-format.ts";
import { MAX_FILE_BYTES } from "../../config/load.ts";
import { loadConfigText } from "./config-source.ts";
import { type JudgeJob } from "./judge.ts";
import { isSame } from "../../../lib/is-same.ts";

/** A document and the text to keep as much of as possible. It has no functions: it crosses to a thread. */
export interface TextJob extends Pick<JudgeJob, "parts" | "flags" | "strict"> {
  readonly document: PackedJson;
  /** The path of the file, whose name has its format. */
  readonly path: string;
  readonly like: { readonly text: string; readonly document: PackedJson; readonly format: TextFormat["name"] };
}

/** The bytes of the file, or the reason why the document cannot be written. */
export type Written = { readonly bytes: Uint8Array } | { readonly reason: string };

/** Writes the document as a text that the gateway can start with. */
export async function writtenText({ document: packed, path, like, parts, flags, strict }: TextJob): Promise<Written> {
  const format = await formatOf(path);
  const document = atOnce(unpackSteps(packed));
  const text = await documentText(document, like, format);
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_FILE_BYTES) return { reason: `it would have more than ${MAX_FILE_BYTES} bytes` };
  const source = { path: undefined, parts: () => parts, flags, strict };
  const { document: read, loaded } = loadConfigText(text, { source, format });
  if (loaded.config !== undefined && isSame(read, document)) return { bytes };
  const why = loaded.problems.map(diagnosticText).join("; ") || "the written file would have other values";
  const aliases =
    format.name === "yaml" && /[&*]/.test(text) ? ". If the value has aliases, edit the file, and reload it" : "";
  return { reason: `the gateway could not start with it: ${why}${aliases}` };
}

async function documentText(document: unknown, like: TextJob["like"], { name }: TextFormat): Promise<string> {
  // A text in another format cannot be kept.
  const model = like.format === name ? { text: like.text, document: atOnce(unpackSteps(like.document)) } : undefined;
  if (name === "yaml") {
    const { freshYaml, yamlText } = await import("./text/yaml-text.ts");
    return model === undefined ? freshYaml(document) : yamlText(model, document);
  }
  if (model === undefined) return `${JSON.stringify(document, undefined, 2)}\n`;
  const { jsonText } = await import("./text/json-text.ts");
  return jsonText(model, document, name === "json");
}
