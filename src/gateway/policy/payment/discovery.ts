import { isObject } from "../../../lib/is-object.ts";
import { type PaymentRequired } from "../../../payments/x402/messages.ts";
import { networkTitle } from "../../../payments/x402/networks.ts";
import { priceText } from "../../../payments/x402/price-text.ts";
import { STOCK_CLIENTS } from "../../../payments/x402/stock-client.ts";
import { CATALOGUE_PATH, MANIFEST_PATH } from "../../config/own-paths.ts";

/** A paid resource as the catalogue lists it. */
export type Listed = Readonly<Record<string, unknown>> &
  PaymentRequired["resource"] &
  Pick<PaymentRequired, "accepts" | "extensions"> & { readonly methods?: readonly string[] };

/** Resources in `llms.txt`, which is read as a whole. The other ones are only counted there. */
const MAX_NAMED = 200;

/** Extensions that a client can leave out, or that the manifest has in another form. */
const OPTIONAL: ReadonlySet<string> = new Set(["bazaar", "offer-receipt"]);

/** The manifest of x402's draft `well-known-discovery`. `now` is in Unix milliseconds. */
export function manifestOf(resources: readonly Listed[], now: number): Uint8Array {
  const items = resources.map(itemOf);
  return Buffer.from(JSON.stringify({ x402Version: 2, lastUpdated: Math.floor(now / 1000), items }));
}

function itemOf({ url, description, mimeType, accepts, extensions, methods }: Listed): object {
  const { input, output } = bazaarOf(extensions);
  const { type: _, ...call } = isObject(input) ? input : {};
  const requires = Object.entries(extensions ?? {}).flatMap(([key, value]) => (isRequired(key, value) ? [key] : []));
  return {
    resource: { url, description, mimeType },
    type: "http",
    accepts,
    input: { method: methods?.[0] ?? "GET", ...call },
    ...(output === undefined ? {} : { output }),
    ...(requires.length === 0 ? {} : { requires }),
  };
}

/** An identifier of the payment is required only if its extension says so. */
function isRequired(key: string, value: unknown): boolean {
  if (key !== "payment-identifier") return !OPTIONAL.has(key);
  const info = isObject(value) ? value["info"] : undefined;
  return isObject(info) && info["required"] === true;
}

function bazaarOf(extensions: PaymentRequired["extensions"]): Readonly<Record<string, unknown>> {
  const bazaar = extensions?.["bazaar"];
  const info = isObject(bazaar) ? bazaar["info"] : undefined;
  return isObject(info) ? info : {};
}

/** The method that the `bazaar` extension names. Without one, the route is sold for every method. */
export function methodOf(extensions: PaymentRequired["extensions"]): string | undefined {
  const { input } = bazaarOf(extensions);
  const method = isObject(input) ? input["method"] : undefined;
  return typeof method === "string" ? method : undefined;
}

/** The list as Markdown for language models, by the proposal `llms.txt`. */
export function llmsText(
  resources: readonly Listed[],
  { testMode, discovery }: { readonly testMode: boolean; readonly discovery: { readonly manifest: boolean } },
): Uint8Array {
  const host = URL.parse(resources[0]?.url ?? "")?.host ?? "This server";
  const lines = resources.slice(0, MAX_NAMED).map(({ url, description, accepts, methods }) => {
    const networks = [...new Set(accepts.map(({ network }) => networkTitle(network)))].join(", ");
    const words = description === undefined ? "" : ` ${description.replaceAll(/\s+/g, " ").trim()}.`;
    return `- [${methods?.join(", ") ?? "any method"} ${url}](${url}):${words} ${priceText(accepts)} a request, on ${networks}`;
  });
  if (resources.length > MAX_NAMED) lines.push(`- and ${resources.length - MAX_NAMED} more`);
  const test = testMode ? "\nTest mode: signatures are checked, and no money moves. A new wallet can pay.\n" : "";
  return Buffer.from(`# ${host}

> Requests are paid one by one with x402: there are no accounts and no keys.
${test}
A request without a payment gets 402. Its field PAYMENT-REQUIRED has the price: base64 of JSON. Sign one of \`accepts\`, and send the
same request again with the payment in PAYMENT-SIGNATURE. An x402 client does this, such as ${STOCK_CLIENTS}.

## Resources

${lines.join("\n")}

## Lists for programs

- [Prices](${CATALOGUE_PATH}): everything that is sold, with price rules
${discovery.manifest ? `- [Manifest](${MANIFEST_PATH}): the same in the draft of x402's discovery\n` : ""}`);
}
