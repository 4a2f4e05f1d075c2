import { isObject } from "../../lib/is-object.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { type CheckedStatement, checkStatement, OFFER_RECEIPT } from "../../payments/signatures/offer-receipt.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { writeStandard } from "../common/standard-output.ts";
import { detailList } from "../common/table.ts";
import { sayError } from "../common/terminal.ts";
import { UsageError } from "../common/usage-error.ts";

/** Bytes of a file with a challenge or a receipt. A longer file is refused. */
const MAX_BYTES = 1_048_576;

const FLAGS = flagTable({
  "signer S": "the seller's address, or did:key of a JWS: other signers are an error",
  json: "print the statements as JSON",
});

const USAGE = `usage: turnpike receipt check FILE [--signer S] [--json]

Checks the signatures of offers and receipts (extension offer-receipt of x402). FILE has the value of a field
PAYMENT-REQUIRED or PAYMENT-RESPONSE, its JSON, or one offer or receipt; - is standard input.
Without --signer, anyone can have signed: compare the signer that is printed with the seller's published one.

${flagsText(FLAGS)}`;

/** `turnpike receipt`: checks signed offers and receipts. Returns the exit code: 0 all valid, 1 not, 2 wrong usage. */
export function receipt(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    const [command, file, ...more] = positionals;
    if (command !== "check" || file === undefined || more.length > 0)
      throw new UsageError('Name a file: "turnpike receipt check FILE"');
    const items = itemsIn(await read(file));
    if (items.length === 0) throw new Error(`Cannot check "${file}": it has no signed offer or receipt`);
    const checked: CheckedStatement[] = [];
    for (const item of items) {
      try {
        checked.push(checkStatement(item, values.signer));
      } catch (error) {
        sayError(`turnpike receipt: ${error instanceof Error ? error.message : "it is not valid"}`);
      }
    }
    await writeStandard(values.json === true ? `${JSON.stringify(checked, undefined, 2)}\n` : reportText(checked));
    return checked.length === items.length ? 0 : 1;
  });
}

async function read(file: string): Promise<unknown> {
  let text: string;
  try {
    const source = file === "-" ? Bun.stdin : Bun.file(file);
    text = (await new Response(source.slice(0, MAX_BYTES + 1).stream()).text()).trim();
  } catch (error) {
    throw new Error(`Cannot read "${file}"`, { cause: error });
  }
  if (text.length > MAX_BYTES) throw new Error(`Cannot check "${file}": it has more than ${MAX_BYTES} bytes`);
  return parsedJson(text.startsWith("{") ? text : Buffer.from(text, "base64").toString("utf8"));
}

/** The signed items of a challenge, a receipt, or an item itself. */
function itemsIn(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  if ("format" in value) return [value];
  const { extensions } = value;
  const extension = isObject(extensions) ? extensions[OFFER_RECEIPT] : undefined;
  const info = isObject(extension) ? extension["info"] : undefined;
  if (!isObject(info)) return [];
  return [...(Array.isArray(info["offers"]) ? info["offers"] : []), ...(info["receipt"] ? [info["receipt"]] : [])];
}

function reportText(checked: readonly CheckedStatement[]): string {
  return checked
    .map(({ kind, statement, signer, kid }) =>
      detailList([
        [kind, "valid"],
        ["signer", signer],
        ...(kid === "" ? [] : [["key", visibleText(kid)] as const]),
        ...Object.entries(statement).map(([name, value]) => [name, visibleText(String(value))] as const),
        ...timesOf(statement),
      ]),
    )
    .join("\n");
}

function timesOf(statement: CheckedStatement["statement"]): readonly (readonly [string, string])[] {
  if ("issuedAt" in statement) return [["issued", new Date(statement.issuedAt * 1000).toISOString()]];
  return statement.validUntil === 0 ? [] : [["valid until", new Date(statement.validUntil * 1000).toISOString()]];
}
