import { type Unit, unitNamed } from "./units.ts";
import { AMOUNTS, CONCEPTS, DURATIONS, ENTITY_WORDS, THING_WORDS } from "./vocabulary.ts";

/** Maximum number of characters of a label or a name. A longer text is neither. */
const MAX_LENGTH = 80;

/** The words of a name or label in one form: `jobTitle`, `job_title` and `Job title:` are all `job title`. */
export function normalName(text: string): string {
  return text
    .slice(0, 2 * MAX_LENGTH)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\([^()]*\)|\[[^[\]]*\]/g, " ")
    .replace(/[^\p{L}\p{N}]+/gu, (found) => (/^\p{M}+$/u.test(found) ? "" : " "))
    .trim()
    .slice(0, MAX_LENGTH);
}

/** The names under which a page may state a field. */
export interface FieldNames {
  /** The field's own name, without the kind of thing before it: `name` for `productName`. */
  readonly own: ReadonlySet<string>;
  /** Normalised labels and class names, in any language. */
  readonly labels: ReadonlySet<string>;
  /** Paths of schema.org properties, the most likely first, such as `offers.price`. */
  readonly paths: readonly string[];
  /** The concept of the field. Undefined if its name is not known. */
  readonly concept: string | undefined;
  /** The unit that the name of a number ends with: `cm` of `width_cm`. */
  readonly unit?: Unit | undefined;
  /** The currency that the name of an amount ends with. */
  readonly money?: string | undefined;
  /** The end of a range that the field is, and the labels of the range. */
  readonly end?: { readonly side: "min" | "max"; readonly labels: ReadonlySet<string>; readonly isMoney: boolean };
}

interface Concept {
  readonly id: string;
  readonly paths: readonly string[];
  readonly labels: readonly string[];
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  ł: "l",
  ø: "oe",
  å: "aa",
};

const BY_NAME = new Map<string, Concept>();
const BY_LABEL = new Map<string, Concept>();
for (const { id, names, paths, labels } of CONCEPTS) {
  const concept = { id, paths, labels: [...names, ...labels].map(normalName) };
  for (const name of names.map(normalName)) BY_NAME.set(name, concept);
  for (const label of labels.flatMap(spellings)) if (!BY_LABEL.has(label)) BY_LABEL.set(label, concept);
}

/** A label as it is, and as it is written without letters beyond ASCII. */
function spellings(label: string): readonly string[] {
  const plain = label.replace(/[äöüßłøå]/gu, (letter) => PLAIN_LETTERS[letter] ?? letter);
  return [normalName(label), normalName(plain), normalName(label.replaceAll("ł", "l"))];
}

/** The concept with this name in English, or with this label in another language. */
function conceptOf(name: string): Concept | undefined {
  return BY_NAME.get(name) ?? BY_LABEL.get(name);
}

/** The parts of a schema beside the name of a field from which its other names are taken. */
export interface NamedField {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The names of the objects and lists around it. */
  readonly around?: readonly string[];
  readonly type?: "number" | "date" | "text" | undefined;
}

/** The names of a field by its name in the schema, its `title`, and the names of the objects around it. */
export function namesOf(name: string, { title, description, around = [], type }: NamedField = {}): FieldNames {
  const given = normalName(name);
  const measured = type === "number" && conceptOf(given) === undefined ? withoutUnit(given) : { rest: given };
  const own = measured.rest;
  const within = singular(normalName(around.at(-1) ?? ""));
  const context = `${within} ${own}`.trim();
  const short = withoutEntity(own);
  const named = title === undefined ? "" : normalName(title);
  const keys = [
    context,
    own,
    singular(own),
    ...shorter(own, type),
    short,
    singular(short),
    named,
    withoutEntity(named),
  ];
  const concept =
    keys.map(conceptOf).find((one) => one !== undefined) ?? (type === "text" ? thingName(own) : undefined);
  const range = type === "number" ? endOf(context, own, concept) : {};
  const others = [
    ...endLabels(range.end),
    ...(concept?.labels ?? []),
    ...shorter(own, type),
    ...described(description),
  ];
  const labels = [given, context, own, singular(own), plural(own), short, named, ...others];
  return {
    own: new Set([given, own, singular(own), plural(own), short].filter((one) => one !== "")),
    labels: new Set(labels.filter((label) => label !== "")),
    paths: [...(concept?.paths ?? []), ...(range.end === undefined ? [] : END_PATHS[range.end.side])],
    concept: concept?.id,
    unit: measured.unit,
    money: measured.money,
    ...range,
  };
}

/** A field named as a kind of thing, such as `recipe`, has the name of the thing. */
function thingName(own: string): Concept | undefined {
  return THING_WORDS.has(own) ? BY_NAME.get("name") : undefined;
}

interface Measured {
  readonly rest: string;
  readonly unit?: Unit | undefined;
  readonly money?: string | undefined;
}

/** A name without the unit at its end. Of `price per kg`, the unit is not that of the value. */
function withoutUnit(name: string): Measured {
  const words = name.split(" ");
  for (const length of [2, 1]) {
    const last = words.slice(-length).join(" ");
    const rest = words.slice(0, -length);
    const ends = rest.at(-1) ?? "per";
    if (/^(?:per|pro|par|por|je|of|in)$/.test(ends)) continue;
    const unit = unitNamed(last);
    const base = rest.join(" ");
    if (unit !== undefined && !isOtherThanUnit(last, base)) return { rest: base, unit };
    if (CURRENCIES.has(last.toUpperCase())) return { rest: base, money: last.toUpperCase() };
  }
  return { rest: name };
}

/**
 * Whether a word that is a unit has another meaning at the end of a name: "seats min" is the lower end of a range,
 * while "cook min" is in minutes; "release year" is a date, and "price month" is for a month.
 */
function isOtherThanUnit(last: string, base: string): boolean {
  const concept = conceptOf(base)?.id ?? "";
  if (/^(?:day|week|month|year)$/.test(last) || AMOUNTS.has(concept)) return true;
  return last === "min" && !DURATIONS.has(concept) && (concept !== "" || !OF_TIME.test(base));
}

/** The end of a name that is one of a duration: "playing min", "delay min". */
const OF_TIME = /(?:ing|time|duration|walk|drive|ride|flight|delay|wait)$/;

const CURRENCIES: ReadonlySet<string> = new Set(
  "EUR USD GBP CHF JPY CNY INR AUD CAD SEK NOK DKK PLN CZK BRL".split(" "),
);

const ENDS = { min: /^(?:min|minimum|low|lowest|from)$/, max: /^(?:max|maximum|high|highest|to)$/ };

/** The properties of schema.org for the ends of a range. */
const END_PATHS = { min: ["minValue", "value.minValue", "lowPrice"], max: ["maxValue", "value.maxValue", "highPrice"] };

/** The range that a field is one end of: `salary` of `salary_min`. */
function endOf(context: string, own: string, whole: Concept | undefined): Pick<FieldNames, "end"> {
  for (const words of [own.split(" "), context.split(" ")]) {
    const at = words.findIndex((word) => ENDS.min.test(word) || ENDS.max.test(word));
    const side = at === -1 ? undefined : ENDS.min.test(words[at] ?? "") ? "min" : "max";
    const rest = words.filter((_, index) => index !== at).join(" ");
    if (side === undefined || rest === "" || (at !== 0 && at !== words.length - 1)) continue;
    const concept = conceptOf(rest);
    const labels = new Set([rest, `${rest} range`, ...(concept?.labels ?? [])]);
    return { end: { side, labels, isMoney: AMOUNTS.has(concept?.id ?? whole?.id ?? "") } };
  }
  return {};
}

/** The labels of one end by itself: "Min seats", "Seats minimum". */
function endLabels(end: FieldNames["end"]): readonly string[] {
  if (end === undefined) return [];
  const [whole = ""] = end.labels;
  return [end.side, `${end.side}imum`].flatMap((word) => [`${word} ${whole}`, `${whole} ${word}`]);
}

/** A name without a last word that only states the type, or with the one that pages state. */
function shorter(name: string, type: NamedField["type"]): readonly string[] {
  if (type === "date") return [name.replace(/ (?:date|time|at|on)$/, ""), `${name} date`].filter((one) => one !== name);
  const bare =
    type === "number"
      ? name.replace(/^(?:number of|num|total) | (?:count|number|total)$/, "")
      : name.replace(/ (?:name|time|text)$/, "");
  return bare === name ? [] : [bare];
}

/** A description of few words may be the label in the language of the page. */
function described(description: string | undefined): readonly string[] {
  const text = normalName((description ?? "").replace(/\s+in\s+\S+$/, ""));
  return text === "" || text.split(" ").length > MAX_DESCRIBING ? [] : [text];
}

/** Words of a description that can be a label. */
const MAX_DESCRIBING = 3;

function withoutEntity(name: string): string {
  const [first = "", ...rest] = name.split(" ");
  return rest.length > 0 && ENTITY_WORDS.has(first) ? rest.join(" ") : name;
}

function singular(name: string): string {
  return name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.replace(/(?<=[^s])s$/, "");
}

function plural(name: string): string {
  return name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`;
}
