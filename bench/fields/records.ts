import { type Language } from "./words.ts";

/** A reproducible source of choices. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 0x9e37_79b9) >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  of<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    const one = list[this.roll(list.length)];
    if (one === undefined) throw new Error("Cannot choose from an empty list");
    return one;
  }
}

/** One fact of a record. */
export interface Fact {
  /** The field's name in the schema. */
  readonly name: string;
  readonly schema: object;
  readonly truth: unknown;
  /** The key of its label; empty for the title. */
  readonly label: string;
  /** The text that a reader sees, or the texts of a list. */
  readonly shown: string | readonly string[];
  /** Its place and value in schema.org's vocabulary. */
  readonly path?: string;
  readonly data?: unknown;
  /** A class that templates give it. */
  readonly className: string;
}

/** A thing that a page is about. */
export interface Thing {
  readonly kind: string;
  readonly type: string;
  readonly title: string;
  readonly facts: readonly Fact[];
}

interface Maker {
  readonly dice: Dice;
  readonly language: Language;
}

function name({ dice, language }: Maker, count = 2): string {
  return Array.from({ length: count }, () => dice.of(language.words)).join(" ");
}

export function written(amount: number, { group, decimal }: Language, decimals = 2): string {
  const [whole = "", rest] = amount.toFixed(decimals).split(".");
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  return rest === undefined ? grouped : `${grouped}${decimal}${rest}`;
}

const CURRENCIES: Readonly<Record<string, string>> = { "en-US": "USD", "en-GB": "GBP", "pl-PL": "PLN" };

function currencyOf({ tag }: Language): string {
  return CURRENCIES[tag] ?? "EUR";
}

/** A fact. By default its label, its class and its place are the name of its field, and its data is the truth. */
function fact(field: string, given: Partial<Fact> & Pick<Fact, "schema" | "truth" | "shown">): Fact {
  return { name: field, label: field, className: given.label ?? field, path: field, data: given.truth, ...given };
}

function text(field: string, shown: string, more: Partial<Fact> = {}): Fact {
  return fact(field, { schema: { type: "string" }, truth: shown, shown, ...more });
}

function titleFact(field: string, shown: string, className = "title"): Fact {
  return text(field, shown, { label: "", className });
}

function price({ dice, language }: Maker): readonly Fact[] {
  const amount = dice.roll(4) === 0 ? 1000 + dice.roll(9000) + 0.5 : 5 + dice.roll(900) + dice.roll(100) / 100;
  const currency = currencyOf(language);
  const shown = language.money(written(amount, language), currency);
  const data = amount.toFixed(2);
  const code = { type: "string", pattern: "^[A-Z]{3}$" };
  return [
    fact("price", { schema: { type: "number" }, truth: amount, shown, path: "offers.price", data }),
    fact("currency", { schema: code, truth: currency, label: "", shown: "", path: "offers.priceCurrency" }),
  ];
}

const YEARS: readonly [number, number] = [2024, 2026];

function date({ dice, language }: Maker, field: string, more: Partial<Fact>, years = YEARS): Fact {
  const year = years[0] + dice.roll(years[1] - years[0] + 1);
  const [month, day] = [dice.roll(12), 1 + dice.roll(28)];
  const iso = `${year}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const shown = language.date(day, language.months[month] ?? "", year);
  return fact(field, { schema: { type: "string", format: "date" }, truth: iso, shown, ...more });
}

function product(maker: Maker): Thing {
  const { dice, language } = maker;
  const title = `${name(maker, 3)} ${100 + dice.roll(900)}`;
  const weight = (1 + dice.roll(90)) / 10;
  const rating = 3 + dice.roll(20) / 10;
  return {
    kind: "product",
    type: "Product",
    title,
    facts: [
      titleFact("name", title),
      ...price(maker),
      text("brand", name(maker, 1), { path: "brand.name" }),
      text("sku", `AX-${1000 + dice.roll(9000)}`),
      text("color", name(maker, 1)),
      // schema.org has no such place.
      {
        name: "weightKg",
        schema: { type: "number", title: "Weight" },
        truth: weight,
        label: "weight",
        shown: `${written(weight, language, 1)} kg`,
        className: "weight",
      },
      fact("rating", {
        schema: { type: "number", minimum: 0, maximum: 5 },
        truth: rating,
        shown: `${written(rating, language, 1)} / 5`,
        path: "aggregateRating.ratingValue",
        data: rating.toFixed(1),
      }),
    ],
  };
}

function job(maker: Maker): Thing {
  const { dice, language } = maker;
  const title = `${dice.of(["Senior", "Junior", "Lead"])} ${name(maker, 1)} ${dice.of(["Engineer", "Analyst", "Designer", "Manager"])}`;
  const salary = 30_000 + dice.roll(60) * 1_000;
  const shown = language.money(written(salary, language, 0), currencyOf(language));
  return {
    kind: "job",
    type: "JobPosting",
    title,
    facts: [
      text("jobTitle", title, { label: "", path: "title", className: "title" }),
      text("company", `${name(maker, 2)} AG`, { path: "hiringOrganization.name" }),
      text("location", name(maker, 1), { path: "jobLocation.address.addressLocality" }),
      fact("salary", { schema: { type: "integer" }, truth: salary, shown, path: "baseSalary.value.value" }),
      date(maker, "datePosted", { label: "posted" }),
      date(maker, "validThrough", { label: "deadline" }),
    ],
  };
}

function minutes(field: string, label: string, value: number): Fact {
  const schema = { type: "integer", description: "in minutes" };
  return fact(field, { schema, truth: value, label, shown: `${value} min`, data: `PT${value}M` });
}

function recipe(maker: Maker): Thing {
  const { dice } = maker;
  const title = `${name(maker, 2)} ${dice.of(["Tarte", "Stew", "Salad", "Curry"])}`;
  const all = Array.from(
    { length: 4 + dice.roll(4) },
    () => `${1 + dice.roll(9)} ${dice.of(["g", "ml"])} ${name(maker, 1)}`,
  );
  const ingredients = [...new Set(all)];
  const [prep, cook, servings] = [5 + dice.roll(50), 10 + dice.roll(50), 2 + dice.roll(8)];
  const yields = { shown: String(servings), path: "recipeYield", data: String(servings) };
  const strings = { type: "array", items: { type: "string" } };
  return {
    kind: "recipe",
    type: "Recipe",
    title,
    facts: [
      titleFact("name", title),
      minutes("prepTime", "prep", prep),
      minutes("cookTime", "cook", cook),
      fact("servings", { schema: { type: "integer" }, truth: servings, ...yields }),
      fact("ingredients", { schema: strings, truth: ingredients, shown: ingredients, path: "recipeIngredient" }),
    ],
  };
}

function event(maker: Maker): Thing {
  const title = `${name(maker, 2)} Festival`;
  return {
    kind: "event",
    type: "Event",
    title,
    facts: [
      titleFact("name", title),
      date(maker, "startDate", { label: "start", className: "start-date" }),
      date(maker, "endDate", { label: "end", className: "end-date" }),
      text("venue", `${name(maker, 1)} Hall`, { path: "location.name" }),
      text("organizer", `${name(maker, 2)} Verein`, { path: "organizer.name" }),
    ],
  };
}

function article(maker: Maker): Thing {
  const title = name(maker, 5);
  return {
    kind: "article",
    type: "NewsArticle",
    title,
    facts: [
      titleFact("headline", title, "headline"),
      text("author", name(maker, 2), { path: "author.name" }),
      date(maker, "published_at", { label: "published", path: "datePublished" }),
      text("section", name(maker, 1), { path: "articleSection" }),
    ],
  };
}

function profile(maker: Maker): Thing {
  const { dice } = maker;
  const title = name(maker, 2);
  const email = `${title.toLowerCase().replace(/[^a-z]+/g, ".")}@example.org`;
  const position = `${name(maker, 1)} ${dice.of(["Director", "Fellow", "Professor"])}`;
  return {
    kind: "profile",
    type: "Person",
    title,
    facts: [
      text("full_name", title, { label: "", path: "name", className: "name" }),
      text("job_title", position, { label: "position", path: "jobTitle" }),
      text("email", email),
      text("phone", `+49 30 ${100_000 + dice.roll(900_000)}`, { path: "telephone" }),
      date(maker, "birthDate", { label: "born" }, [1950, 2000]),
    ],
  };
}

export const KINDS = [product, job, recipe, event, article, profile];
