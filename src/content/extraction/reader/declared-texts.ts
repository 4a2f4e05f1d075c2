/** The texts that a page's JSON-LD declares, by kind. */
export interface DeclaredTexts {
  /** Articles, posts, answers to questions, descriptions, instructions. */
  readonly content: string[];
  readonly reviews: string[];
  /** Names of the things that the page describes. */
  readonly names: string[];
  /** Names of the steps in a breadcrumb. */
  readonly crumbs: string[];
  /** Names of authors. */
  readonly people: string[];
}

/** Maximum number of texts of each kind that are kept. */
const MAX_TEXTS = 500;
/** Maximum number of levels of a JSON-LD script. Deeper values are not read. */
const MAX_DEPTH = 12;

const CONTENT = new Set([
  "articleBody",
  "text",
  "description",
  "recipeInstructions",
  "recipeIngredient",
  "jobBenefits",
]);
const REVIEWS = new Set(["reviewBody", "commentText"]);
const NAMES = new Set(["name", "headline", "alternativeHeadline", "title"]);
/** Types that describe the site instead of the page. */
const OF_THE_SITE = /^(?:Organization|NewsMediaOrganization|WebSite|LocalBusiness|Corporation|Brand|ImageObject)$/;

/** Creates a result without texts. */
export function noTexts(): DeclaredTexts {
  return { content: [], reviews: [], names: [], crumbs: [], people: [] };
}

/** The number of arrays and objects that may still be read, and of characters that may still be kept. */
export interface DeclaredBudget {
  nodes: number;
  characters: number;
}

type Role = "page" | "review" | "crumb" | "person" | "site";

/** Adds the texts in a value of JSON-LD and its descendants. Reduces the budget. */
export function declareTexts(value: unknown, into: DeclaredTexts, budget: DeclaredBudget): void {
  visit(value, { key: "", role: "page", depth: 0 }, { into, budget });
}

interface At {
  readonly key: string;
  readonly role: Role;
  readonly depth: number;
}

interface Sink {
  readonly into: DeclaredTexts;
  readonly budget: DeclaredBudget;
}

function visit(value: unknown, at: At, sink: Sink): void {
  if (typeof value === "string") return keep(value, at, sink);
  if (typeof value !== "object" || value === null || at.depth > MAX_DEPTH || sink.budget.nodes <= 0) return;
  sink.budget.nodes -= 1;
  if (Array.isArray(value)) {
    for (const one of value) visit(one, { ...at, depth: at.depth + 1 }, sink);
    return;
  }
  const role = roleOf(value, at);
  for (const [key, own] of Object.entries(value)) visit(own, { key, role, depth: at.depth + 1 }, sink);
}

function roleOf(value: object, { key, role }: At): Role {
  if (key === "author" || key === "creator") return "person";
  if (role === "crumb" || role === "review") return role;
  const types = "@type" in value ? [value["@type"]].flat().filter((type) => typeof type === "string") : [];
  if (types.includes("BreadcrumbList")) return "crumb";
  if (types.some((type) => type === "Review" || type === "UserReview" || type === "Comment")) return "review";
  if (types.some((type) => OF_THE_SITE.test(type))) return "site";
  return types.includes("Person") ? "person" : role === "person" || role === "site" ? "page" : role;
}

function keep(text: string, { key, role }: At, { into, budget }: Sink): void {
  const list = listOf(key, role, into);
  if (list === undefined || list.length >= MAX_TEXTS || text === "" || text.length > budget.characters) return;
  budget.characters -= text.length;
  list.push(text);
}

function listOf(key: string, role: Role, into: DeclaredTexts): string[] | undefined {
  if (key === "author" || (role === "person" && key === "name")) return into.people;
  if (role === "person" || role === "site") return undefined;
  if (role === "crumb") return key === "name" ? into.crumbs : undefined;
  if (REVIEWS.has(key) || (role === "review" && CONTENT.has(key))) return into.reviews;
  if (CONTENT.has(key)) return into.content;
  return NAMES.has(key) && role === "page" ? into.names : undefined;
}
