import { NewestMap } from "../../lib/memory/newest-map.ts";
import { CLIENT_CLASSES, type ClientClass } from "./metrics/funnel-steps.ts";

/** User agents whose class is remembered. @bound */
const MAX_KEPT = 256;
/** Characters of a user agent that are read. */
const MAX_READ = 256;

/** Words in user agents, in small letters. The first class that fits is taken. */
const WORDS: readonly (readonly [ClientClass, RegExp])[] = [
  // Programs that read the web for a model or a person, and crawlers.
  [
    "agent",
    /(?<!cu)bot\b|-user\/|agent|anthropic|bytespider|chatgpt|claude|cohere|copilot|crawler|diffbot|firecrawl|gemini|google-extended|langchain|llamaindex|mcp|mistral|openai|perplexity|spider/,
  ],
  // Libraries and command-line tools.
  [
    "sdk",
    /^(?:aiohttp|apache-httpclient|axios|bun|curl|dart|deno|faraday|fetch|go-http-client|got|grpc|guzzle|http\.rb|httpie|httpx|hyper|insomnia|java|libwww|ky|node|okhttp|php|postman|python|reqwest|ruby|superagent|turnpike|undici|urllib|wget|x402)/,
  ],
  ["browser", /^mozilla\//],
];

const known = new NewestMap<string, number>(MAX_KEPT);

/** The index of the class of a user agent in `CLIENT_CLASSES`. */
export function clientClassOf(userAgent: string | undefined): number {
  if (userAgent === undefined || userAgent === "") return CLIENT_CLASSES.indexOf("other");
  const kept = known.get(userAgent);
  if (kept !== undefined) return kept;
  const text = userAgent.slice(0, MAX_READ).toLowerCase();
  const found = WORDS.find(([, words]) => words.test(text))?.[0] ?? "other";
  const index = CLIENT_CLASSES.indexOf(found);
  // A copy: a part of a request's field section would keep the whole section in memory.
  if (userAgent.length <= MAX_READ) known.set(Buffer.from(userAgent, "latin1").toString("latin1"), index);
  return index;
}
