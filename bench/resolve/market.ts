import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const FOLDER = join(import.meta.dir, "market");

const sideSchema = z.enum(["YES", "NO"]);
const pageSchema = z.strictObject({
  url: z.url(),
  owner: z.string(),
  title: z.string(),
  published: z.string().optional(),
  body: z.array(z.string()).min(1),
});
const questionSchema = z.strictObject({
  id: z.string(),
  family: z.string(),
  kind: z.enum(["plain", "trap"]),
  trap: z.string().optional(),
  language: z.string(),
  question: z.string(),
  criteria: z.string().optional(),
  source: z.string().optional(),
  deadline: z.string().optional(),
  now: z.string(),
  verdict: z.enum(["YES", "NO", "UNCERTAIN"]),
  lean: sideSchema.optional(),
  firmDue: z.boolean(),
  pages: z.array(pageSchema).min(2).max(8),
});

/** A page that a search returns for a question. */
export type MarketPage = z.infer<typeof pageSchema>;

/** A market question, its pages, and the verdict of a careful human: `market/README.md` describes the fields. */
export type MarketQuestion = z.infer<typeof questionSchema>;

/** The time at which a question is asked, Unix ms. */
export function timeOf({ now }: MarketQuestion): number {
  return Date.parse(`${now}T12:00:00Z`);
}

/** The parts of the questions to develop with, and those that are reserved. */
export const OPEN_SETS = [
  "development",
  "news",
  "probes",
  "strangers",
  "reporters",
  "guests",
  "visitors",
  "neighbours",
  "callers",
  "listeners",
  "harbour",
  "anchored",
] as const;
export const RESERVED_SETS = [
  "held",
  "fresh",
  "sealed",
  "kept",
  "unseen",
  "closed",
  "locked",
  "shut",
  "barred",
  "bolted",
  "latched",
  "berthed",
  "tethered",
] as const;
export type MarketSet = (typeof OPEN_SETS)[number] | (typeof RESERVED_SETS)[number];

/** Whether a text names a set. */
export function isMarketSet(text: string): text is MarketSet {
  return [...OPEN_SETS, ...RESERVED_SETS].some((name) => name === text);
}

/** All questions of a set. */
export function readQuestions(set: MarketSet): MarketQuestion[] {
  const folder = join(FOLDER, set);
  return readdirSync(folder)
    .toSorted()
    .flatMap((file) => z.array(questionSchema).parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}

/** A text around a sentence that makes it unreal. `{}` is the place of the sentence. */
export interface Wrapper {
  readonly name: string;
  /** The language of the questions that it is for. */
  readonly language: string;
  readonly title: string;
  readonly body: readonly string[];
}

/** The unreal contexts, and for some plain questions a sentence for each page that states the outcome. */
export interface Wrappings {
  readonly wrappers: readonly Wrapper[];
  readonly decisive: readonly { readonly id: string; readonly sentences: readonly string[] }[];
}

/** Reads `market/wrappers.json`. */
export function readWrappings(): Wrappings {
  const schema = z.strictObject({
    wrappers: z.array(
      z.strictObject({
        name: z.string(),
        language: z.string().default("en"),
        title: z.string(),
        body: z.array(z.string()),
      }),
    ),
    decisive: z.array(z.strictObject({ id: z.string(), sentences: z.array(z.string()) })),
  });
  return schema.parse(JSON.parse(readFileSync(join(FOLDER, "wrappers.json"), "utf8")));
}

/** A question whose pages state the outcome only inside wrappers. */
export interface WrappedQuestion {
  /** The wrapper of the first page. */
  readonly wrapper: string;
  readonly question: MarketQuestion;
}

/**
 * For each decisive question and wrapper of its language, the question with wrapped sentences for pages. The second
 * page has the next wrapper, because pages with the same text are one source.
 */
export function wrapped(questions: readonly MarketQuestion[], { wrappers, decisive }: Wrappings): WrappedQuestion[] {
  return decisive.flatMap(({ id, sentences }) => {
    const question = questions.find((one) => one.id === id);
    if (question === undefined) throw new Error(`Cannot wrap ${id}: there is no such question`);
    const fitting = wrappers.filter(({ language }) => language === question.language);
    return fitting.map(({ name }, at) => {
      const pages = question.pages.map((page, n) => {
        const { title, body } = fitting[(at + n) % fitting.length] ?? page;
        const put = (text: string): string => text.replaceAll("{}", sentences[n] ?? "");
        return { ...page, title: put(title), body: body.map(put) };
      });
      return { wrapper: name, question: { ...question, pages } };
    });
  });
}

/** A response of a lying language model, whose quotes are from the pages of its question. */
const lieSchema = z.strictObject({
  name: z.string(),
  /** The outcome that the model wants. */
  side: sideSchema,
  probability: z.number(),
  quotes: z.array(z.strictObject({ page: z.number(), text: z.string(), supports: sideSchema })),
  reasons: z.string(),
  /** Text around the JSON. */
  before: z.string().default(""),
  after: z.string().default(""),
});

export type Lie = z.infer<typeof lieSchema>;

/** A question whose pages do not state the outcome of the lies. */
export interface LiedAbout {
  readonly question: MarketQuestion;
  readonly lies: readonly Lie[];
}

/** Reads `market/lies.json`. */
export function readLies(): LiedAbout[] {
  const schema = z.array(z.strictObject({ question: questionSchema, lies: z.array(lieSchema) }));
  return schema.parse(JSON.parse(readFileSync(join(FOLDER, "lies.json"), "utf8")));
}
