import { findAsset } from "../../../../payments/x402/assets.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { formatAmount } from "../../../../payments/x402/price.ts";

/** The paid request of a snippet. */
export interface Call {
  readonly method: string;
  readonly url: string;
  /** JSON; undefined: no body. */
  readonly body: unknown;
}

/** The default limit of the command and of the stock client, in whole units of a token that is worth one dollar. */
const LIMIT = 1n;
/** Networks on which the stock client pays in USDC by default. */
const STOCK_NETWORKS = new Set(["eip155:8453", "eip155:84532", "eip155:1", "eip155:43114"]);

/** The call that is sold: with the method and body of the `bazaar` extension if it has them, else as requested. */
export function callOf({ resource, extensions }: PaymentRequired, method: string): Call {
  const input = member(member(member(extensions, "bazaar"), "info"), "input");
  const named = member(input, "method");
  const { url } = resource;
  if (typeof named !== "string") return { method: method === "HEAD" ? "GET" : method, url, body: undefined };
  return { method: named, url, body: member(input, "bodyType") === "json" ? member(input, "body") : undefined };
}

/** A program that makes the call with the stock client. */
export function programSnippet({ method, url, body }: Call, { accepts }: PaymentRequired): string {
  const isUpto = accepts.every(({ scheme }) => scheme === "upto");
  const scheme = isUpto ? "UptoEvmScheme" : "ExactEvmScheme";
  const lines = [
    `import { wrapFetchWithPayment, x402Client } from "@x402/fetch";`,
    `import { ${scheme} } from "@x402/evm/${isUpto ? "upto" : "exact"}/client";`,
    `import { privateKeyToAccount } from "viem/accounts";`,
    "",
    "const account = privateKeyToAccount(process.env.PRIVATE_KEY);",
    `const client = new x402Client().register("eip155:*", new ${scheme}(account));`,
    ...controls(accepts),
    "const pay = wrapFetchWithPayment(fetch, client);",
    `const response = await pay(${JSON.stringify(url)}${initOf(method, body)});`,
    "console.log(response.status, await response.text());",
  ];
  return lines.join("\n");
}

/**
 * The options that the stock client needs for these payment requirements: it has a price limit, and knows few tokens.
 */
function controls(accepts: readonly PaymentRequirements[]): readonly string[] {
  const told = accepts.filter(
    (requirements) => !STOCK_NETWORKS.has(requirements.network) || priceOf(requirements)[0]?.isDear !== false,
  );
  if (told.length === 0) return [];
  const allowed = told.map(({ network, asset, amount }) => ({ network, asset, maxAmountPerPayment: amount }));
  return [`client.setSpendControls({ allowedAssets: ${JSON.stringify(allowed)} });`];
}

function initOf(method: string, body: unknown): string {
  if (body === undefined) return method === "GET" ? "" : `, { method: ${JSON.stringify(method)} }`;
  return `, {
  method: ${JSON.stringify(method)},
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${JSON.stringify(body)}),
}`;
}

/** A command that makes the call; undefined if the command knows none of the tokens. */
export function commandSnippet({ method, url, body }: Call, { accepts }: PaymentRequired): string | undefined {
  const prices = accepts.flatMap(priceOf);
  const [cheapest] = prices.toSorted((a, b) => (a.dollars < b.dollars ? -1 : 1));
  if (cheapest === undefined) return undefined;
  const words = ["npx turnpike pay"];
  if (method !== (body === undefined ? "GET" : "POST")) words.push(method);
  words.push(quoted(url));
  if (body !== undefined) words.push(`-d ${quoted(JSON.stringify(body))}`);
  if (cheapest.isDear) words.push(`--max-price ${cheapest.amount}`);
  return words.join(" ");
}

function priceOf({ network, asset, amount }: PaymentRequirements) {
  const known = findAsset(network, asset);
  if (known === undefined) return [];
  const one = 10n ** BigInt(known.decimals);
  const dollars = Number(BigInt(amount)) / Number(one);
  return [{ dollars, amount: formatAmount(amount, known.decimals), isDear: BigInt(amount) > LIMIT * one }];
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.=@,+%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
