/** Judges the text of a whole configuration. A thread does this, because a hostile text takes seconds. */
import { messageOf } from "../../../lib/caught.ts";
import { type PackedJson, packSteps, unpackSteps } from "../../../lib/memory/packed-json.ts";
import { atOnce } from "../../../lib/slices.ts";
import { type Diagnostic, type Findings } from "../../config/diagnostic.ts";
import { type ConfigFlags } from "../../config/flags.ts";
import { type ParsedJson } from "../../config/formats/json.ts";
import { isObject } from "../../../lib/is-object.ts";
import { formatOf } from "../../config/formats/format-of.ts";
import { configText, type Loaded } from "../../config/load.ts";
import { type OwnParts } from "../../config/own-parts.ts";
import { withKeptSecrets, withoutSecrets } from "../../config/secrets.ts";
import { readJson } from "../http/body.ts";
import { type ConfigSource, documentSteps, loadConfigText, withFindings } from "./config-source.ts";
import { isSame } from "../../../lib/is-same.ts";
import { differenceSteps } from "./text/json-difference.ts";
import { type AtStart, restartKeys } from "./restart-keys.ts";
import { type PatchOperation } from "../shapes/common.ts";

/** A text, and the data that it is judged by. It has no functions: it crosses to a thread. */
export interface JudgeJob {
  readonly bytes: Uint8Array;
  /** `body`: a request with secrets replaced. Else the path of the file, whose name has its format. */
  readonly from:
    | { readonly kind: "body"; readonly running: PackedJson }
    | { readonly kind: "file"; readonly path: string };
  readonly parts: OwnParts;
  readonly flags: ConfigFlags;
  readonly atStart: AtStart;
  /** `difference`: also to the running configuration. `text`: the text is only parsed. */
  readonly asks: "document" | "difference" | "text";
  /** Warnings are errors. */
  readonly strict: boolean;
  /** Findings beside those of the text. They get their positions in it. */
  readonly found?: Findings;
}

/** A file that cannot be read as a configuration has a problem: it is never `unreadable`. */
export type FileJob = JudgeJob & { readonly from: { readonly kind: "file" } };

export type Judgement =
  | { readonly kind: "unreadable"; readonly reason: string }
  | {
      readonly kind: "judged";
      readonly ok: boolean;
      readonly problems: readonly Diagnostic[];
      readonly warnings: readonly Diagnostic[];
      /** Set if the configuration is valid, and can be loaded. */
      readonly document?: PackedJson;
      readonly difference: readonly PatchOperation[];
      readonly restart: readonly string[];
    };

export type Judged = Extract<Judgement, { kind: "judged" }>;

/** Adds an error if a gateway that was started with `atStart` cannot change to this configuration. */
export function fitting(loaded: Loaded, atStart: AtStart): Loaded {
  if (loaded.config === undefined || isSame(loaded.config.postgres, atStart.postgres)) return loaded;
  const problem = loaded.locate({ path: "postgres", message: "cannot change while the gateway runs: restart it" });
  return { ...loaded, config: undefined, problems: [problem] };
}

/** Judges a text. Never rejects because of the text. */
export async function judge(job: JudgeJob): Promise<Judgement> {
  const source: ConfigSource = { path: undefined, parts: () => job.parts, flags: job.flags, strict: job.strict };
  if (job.from.kind === "file") {
    try {
      const format = await formatOf(job.from.path);
      const text = configText(job.bytes);
      if (job.asks === "text") return parsed(format.parse(text));
      const { document, loaded } = loadConfigText(text, { source, format });
      return judgementOf(job, { document, running: undefined, loaded: withFindings(loaded, job.found, job.strict) });
    } catch (error) {
      return unjudged(messageOf(error));
    }
  }
  let value: unknown;
  try {
    value = readJson(job.bytes);
  } catch (error) {
    return { kind: "unreadable", reason: messageOf(error) };
  }
  const running = atOnce(unpackSteps(job.from.running));
  const document = withKeptSecrets(value, running);
  return judgementOf(job, { document, running, loaded: atOnce(documentSteps(document, source)) });
}

/** The judgement of a configuration with one problem that has no place. */
export function unjudged(message: string): Judged {
  return { kind: "judged", ok: false, problems: [{ path: "", message }], warnings: [], difference: [], restart: [] };
}

function parsed(text: ParsedJson): Judgement {
  if (!text.ok) return unjudged(text.error);
  if (!isObject(text.value)) return unjudged("expected an object");
  return { ...unjudged(""), ok: true, problems: [], document: atOnce(packSteps(text.value)) };
}

interface Read {
  readonly document: unknown;
  readonly running: unknown;
  readonly loaded: Loaded;
}

function judgementOf({ atStart, asks }: JudgeJob, { document, running, loaded }: Read): Judgement {
  const { config, problems, warnings } = fitting(loaded, atStart);
  const told = { kind: "judged", ok: config !== undefined, problems, warnings } as const;
  if (config === undefined) return { ...told, difference: [], restart: [] };
  const whole = { ...told, document: atOnce(packSteps(Object(document))) };
  if (asks !== "difference") return { ...whole, difference: [], restart: [] };
  const difference = atOnce(differenceSteps(running, document, withoutSecrets));
  return { ...whole, difference, restart: restartKeys(atStart, config) };
}
