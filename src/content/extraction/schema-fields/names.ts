import { CONCEPTS, ENTITY_WORDS } from "./vocabulary.ts";

/** Maximum number of characters of a label or a name. A longer text is neither. */
const MAX_LENGTH = 80;

/** Names whose form is kept. */
const MAX_KEPT = 20_000;
const kept = new Map<string, string>();

/** The words of a name or label in one form: `jobTitle`, `job_title` and `Job title:` are all `job title`. */
export function normalName(text: string): string {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const made = madeName(text);
  if (kept.size >= MAX_KEPT) kept.clear();
  if (text.length <= MAX_LENGTH) kept.set(text, made);
  return made;
}

function madeName(text: string): string {
  return text
    .slice(0, 2 * MAX_LENGTH)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
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
}

interface Concept {
  readonly id: string;
  readonly paths: readonly string[];
  readonly labels: readonly string[];
}

const BY_NAME = new Map<string, Concept>();
for (const { id, names, paths, labels } of CONCEPTS) {
  const all = [...names, ...labels].map(normalName);
  for (const name of names.map(normalName)) BY_NAME.set(name, { id, paths, labels: all });
}

/** The names of a field by its name in the schema, its `title`, and the names of the objects around it. */
export function namesOf(name: string, title: string | undefined, around: readonly string[]): FieldNames {
  const own = normalName(name);
  const short = withoutEntity(own);
  const within = around.at(-1);
  const context = within === undefined ? own : `${normalName(within)} ${own}`;
  const named = title === undefined ? "" : normalName(title);
  const keys = [context, own, singular(own), short, singular(short), named, withoutEntity(named)];
  const concept = keys.map((key) => BY_NAME.get(key)).find((known) => known !== undefined);
  const labels = [context, own, singular(own), plural(own), short, named, ...(concept?.labels ?? [])];
  return {
    own: new Set([own, singular(own), plural(own), short].filter((one) => one !== "")),
    labels: new Set(labels.filter((label) => label !== "")),
    paths: concept?.paths ?? [],
    concept: concept?.id,
  };
}

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
