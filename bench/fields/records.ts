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

function text(fact: Omit<Fact, "schema" | "truth"> & { readonly shown: string }): Fact {
  return { ...fact, schema: { type: "string" }, truth: fact.shown, data: fact.data ?? fact.shown };
}

function price(maker: Maker, path = "offers.price", field = "price"): readonly Fact[] {
  const { dice, language } = maker;
  const amount = dice.roll(4) === 0 ? 1000 + dice.roll(9000) + 0.5 : 5 + dice.roll(900) + dice.roll(100) / 100;
  const currency = currencyOf(language);
  const shown = language.money(written(amount, language), currency);
  return [
    {
      name: field,
      schema: { type: "number" },
      truth: amount,
      label: "price",
      shown,
      path,
      data: amount.toFixed(2),
      className: "price",
    },
    {
      name: "currency",
      schema: { type: "string", pattern: "^[A-Z]{3}$" },
      truth: currency,
      label: "",
      shown: "",
      path: "offers.priceCurrency",
      data: currency,
      className: "",
    },
  ];
}

function date(
  { dice, language }: Maker,
  fact: Pick<Fact, "name" | "label" | "path" | "className">,
  years: readonly [number, number] = [2024, 2026],
): Fact {
  const year = years[0] + dice.roll(years[1] - years[0] + 1);
  const [month, day] = [dice.roll(12), 1 + dice.roll(28)];
  const iso = `${year}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  const shown = language.date(day, language.months[month] ?? "", year);
  return { ...fact, schema: { type: "string", format: "date" }, truth: iso, shown, data: iso };
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
      text({ name: "name", label: "", shown: title, path: "name", className: "title" }),
      ...price(maker),
      text({ name: "brand", label: "brand", shown: name(maker, 1), path: "brand.name", className: "brand" }),
      text({ name: "sku", label: "sku", shown: `AX-${1000 + dice.roll(9000)}`, path: "sku", className: "sku" }),
      text({ name: "color", label: "color", shown: name(maker, 1), path: "color", className: "color" }),
      {
        name: "weightKg",
        schema: { type: "number", title: "Weight" },
        truth: weight,
        label: "weight",
        shown: `${written(weight, language, 1)} kg`,
        className: "weight",
      },
      {
        name: "rating",
        schema: { type: "number", minimum: 0, maximum: 5 },
        truth: rating,
        label: "rating",
        shown: `${written(rating, language, 1)} / 5`,
        path: "aggregateRating.ratingValue",
        data: rating.toFixed(1),
        className: "rating",
      },
    ],
  };
}

function job(maker: Maker): Thing {
  const { dice, language } = maker;
  const title = `${dice.of(["Senior", "Junior", "Lead"])} ${name(maker, 1)} ${dice.of(["Engineer", "Analyst", "Designer", "Manager"])}`;
  const salary = 30_000 + dice.roll(60) * 1_000;
  return {
    kind: "job",
    type: "JobPosting",
    title,
    facts: [
      text({ name: "jobTitle", label: "", shown: title, path: "title", className: "title" }),
      text({
        name: "company",
        label: "company",
        shown: `${name(maker, 2)} AG`,
        path: "hiringOrganization.name",
        className: "company",
      }),
      text({
        name: "location",
        label: "location",
        shown: name(maker, 1),
        path: "jobLocation.address.addressLocality",
        className: "location",
      }),
      {
        name: "salary",
        schema: { type: "integer" },
        truth: salary,
        label: "salary",
        shown: language.money(written(salary, language, 0), currencyOf(language)),
        path: "baseSalary.value.value",
        data: salary,
        className: "salary",
      },
      date(maker, { name: "datePosted", label: "posted", path: "datePosted", className: "posted" }),
      date(maker, { name: "validThrough", label: "deadline", path: "validThrough", className: "deadline" }),
    ],
  };
}

function minutes(field: string, label: string, value: number, path: string): Fact {
  return {
    name: field,
    schema: { type: "integer", description: "in minutes" },
    truth: value,
    label,
    shown: `${value} min`,
    path,
    data: `PT${value}M`,
    className: label,
  };
}

function recipe(maker: Maker): Thing {
  const { dice } = maker;
  const title = `${name(maker, 2)} ${dice.of(["Tarte", "Stew", "Salad", "Curry"])}`;
  const ingredients = Array.from(
    { length: 4 + dice.roll(4) },
    () => `${1 + dice.roll(9)} ${dice.of(["g", "ml"])} ${name(maker, 1)}`,
  );
  const [prep, cook, servings] = [5 + dice.roll(50), 10 + dice.roll(50), 2 + dice.roll(8)];
  return {
    kind: "recipe",
    type: "Recipe",
    title,
    facts: [
      text({ name: "name", label: "", shown: title, path: "name", className: "title" }),
      minutes("prepTime", "prep", prep, "prepTime"),
      minutes("cookTime", "cook", cook, "cookTime"),
      {
        name: "servings",
        schema: { type: "integer" },
        truth: servings,
        label: "servings",
        shown: String(servings),
        path: "recipeYield",
        data: String(servings),
        className: "servings",
      },
      {
        name: "ingredients",
        schema: { type: "array", items: { type: "string" } },
        truth: [...new Set(ingredients)],
        label: "ingredients",
        shown: [...new Set(ingredients)],
        path: "recipeIngredient",
        data: [...new Set(ingredients)],
        className: "ingredients",
      },
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
      text({ name: "name", label: "", shown: title, path: "name", className: "title" }),
      date(maker, { name: "startDate", label: "start", path: "startDate", className: "start-date" }),
      date(maker, { name: "endDate", label: "end", path: "endDate", className: "end-date" }),
      text({
        name: "venue",
        label: "venue",
        shown: `${name(maker, 1)} Hall`,
        path: "location.name",
        className: "venue",
      }),
      text({
        name: "organizer",
        label: "organizer",
        shown: `${name(maker, 2)} Verein`,
        path: "organizer.name",
        className: "organizer",
      }),
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
      text({ name: "headline", label: "", shown: title, path: "headline", className: "headline" }),
      text({ name: "author", label: "author", shown: name(maker, 2), path: "author.name", className: "author" }),
      date(maker, { name: "published_at", label: "published", path: "datePublished", className: "published" }),
      text({ name: "section", label: "section", shown: name(maker, 1), path: "articleSection", className: "section" }),
    ],
  };
}

function profile(maker: Maker): Thing {
  const { dice } = maker;
  const title = name(maker, 2);
  const email = `${title.toLowerCase().replace(/[^a-z]+/g, ".")}@example.org`;
  return {
    kind: "profile",
    type: "Person",
    title,
    facts: [
      text({ name: "full_name", label: "", shown: title, path: "name", className: "name" }),
      text({
        name: "job_title",
        label: "position",
        shown: `${name(maker, 1)} ${dice.of(["Director", "Fellow", "Professor"])}`,
        path: "jobTitle",
        className: "position",
      }),
      text({ name: "email", label: "email", shown: email, path: "email", className: "email" }),
      text({
        name: "phone",
        label: "phone",
        shown: `+49 30 ${100_000 + dice.roll(900_000)}`,
        path: "telephone",
        className: "phone",
      }),
      date(maker, { name: "birthDate", label: "born", path: "birthDate", className: "born" }, [1950, 2000]),
    ],
  };
}

export const KINDS = [product, job, recipe, event, article, profile];
