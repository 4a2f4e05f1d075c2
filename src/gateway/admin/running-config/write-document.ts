/** Writes the running document to its file. */
import { dirname, resolve } from "node:path";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { inThread } from "../../../lib/process/in-thread.ts";
import { packSteps } from "../../../lib/memory/packed-json.ts";
import { inSlices } from "../../../lib/slices.ts";
import { type TextFormat } from "../../config/formats/text-format.ts";
import { type ConfigFile } from "./config-file.ts";
import { type ConfigSource } from "./config-source.ts";
import { MAX_JUDGING_MS } from "./judge-thread.ts";
import { replaceFile } from "./replace-file.ts";
import { type PersistOutcome } from "./running-config.ts";
import { type TextJob, type Written, writtenText } from "./written-text.ts";

/** Characters of a text that is changed without a thread, because that takes a millisecond. */
const MAX_INLINE = 16_384;

/** The content to write, and the conditions for it. */
export interface Writing {
  readonly document: unknown;
  /** The text to keep as much of as possible. */
  readonly like: { readonly text: string; readonly document: unknown; readonly format: TextFormat["name"] };
  /** Writes even if another program has changed the file. */
  readonly force: boolean;
  readonly source: ConfigSource;
}

/** Writes a text that the gateway can start with. Never rejects. Unless `done`, the file is unchanged. */
export async function writeDocument(file: ConfigFile, writing: Writing): Promise<PersistOutcome> {
  const isOurs = (): boolean => writing.force || !file.changed;
  if (!isOurs()) return { kind: "changed-on-disk" };
  const written = await textBesideTraffic(await jobOf(file.path, writing));
  if ("reason" in written) return { kind: "failed", reason: written.reason, code: undefined };
  try {
    if (!(await replaceFile(file.path, written.bytes, isOurs))) return { kind: "changed-on-disk" };
  } catch (error) {
    const code = codeOf(error);
    return { kind: "failed", reason: REASONS[code ?? ""] ?? messageOf(error), code };
  }
  file.hasNow(written.bytes);
  return { kind: "done", path: file.path };
}

async function jobOf(path: string, { document, like, source }: Writing): Promise<TextJob> {
  const { parts, flags, strict = false } = source;
  const packed = await inSlices(packSteps(Object(document)));
  const before = { ...like, document: await inSlices(packSteps(Object(like.document))) };
  return { path, document: packed, like: before, parts: parts === undefined ? {} : parts(), flags, strict };
}

/** Makes a long text in a thread, beside traffic. */
async function textBesideTraffic(job: TextJob): Promise<Written> {
  const length = job.document.reduce((sum, [, text]) => sum + [text].flat().join("").length, job.like.text.length);
  if (length <= MAX_INLINE) return await writtenText(job);
  const limits = { what: "writes the configuration", maxMs: MAX_JUDGING_MS };
  try {
    return await inThread<Written>(new URL("./text-worker.ts", import.meta.url), job, limits);
  } catch (error) {
    return { reason: messageOf(error) };
  }
}

/** The document for another folder: a relative `$schema` is changed to lead to the same schema. */
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
