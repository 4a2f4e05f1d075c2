/**
 * Texts about the stock x402 clients, for people who do not have this program. They name only packages of the x402 project: a name that
 * is not registered would run the code of the person who registers it, beside a wallet.
 */

/** The stock clients, in words. */
export const STOCK_CLIENTS = "@x402/fetch or @x402/axios on npm, or x402 for Python";

/** The command that installs the packages of `stockProgram`. */
export const STOCK_INSTALL = "npm install @x402/fetch @x402/evm viem";
/** The same for payments on Solana. */
export const SOLANA_INSTALL = "npm install @x402/fetch @x402/svm @solana/kit";

/** The paid request of a program. */
export interface Call {
  readonly method: string;
  readonly url: string;
  /** JSON; undefined: no body. */
  readonly body: unknown;
}

/** The parts of a program that depend on the payment requirements and on the response. */
export interface ProgramOptions {
  readonly scheme?: "exact" | "upto";
  /** The payments are on Solana. */
  readonly isSolana?: boolean;
  /** Lines that change the client's limits. */
  readonly controls?: readonly string[];
  /** The file for a binary response; undefined: the response is printed. */
  readonly file?: string | undefined;
}

/** A JavaScript program that makes the call with `@x402/fetch`. */
export function stockProgram(
  { method, url, body }: Call,
  { scheme = "exact", isSolana = false, controls = [], file }: ProgramOptions = {},
): string {
  return [
    ...(file === undefined ? [] : [`import { writeFile } from "node:fs/promises";`]),
    `import { wrapFetchWithPayment, x402Client } from "@x402/fetch";`,
    ...(isSolana ? SOLANA_LINES : evmLines(scheme)),
    ...controls,
    "const pay = wrapFetchWithPayment(fetch, client);",
    `const response = await pay(${JSON.stringify(url)}${initOf(method, body)});`,
    file === undefined
      ? "console.log(response.status, await response.text());"
      : `await writeFile("${file}", new Uint8Array(await response.arrayBuffer()));`,
  ].join("\n");
}

function evmLines(scheme: "exact" | "upto"): readonly string[] {
  const client = scheme === "upto" ? "UptoEvmScheme" : "ExactEvmScheme";
  return [
    `import { ${client} } from "@x402/evm/${scheme}/client";`,
    `import { privateKeyToAccount } from "viem/accounts";`,
    "",
    "const account = privateKeyToAccount(process.env.PRIVATE_KEY);",
    `const client = new x402Client().register("eip155:*", new ${client}(account));`,
  ];
}

const SOLANA_LINES: readonly string[] = [
  `import { ExactSvmScheme } from "@x402/svm/exact/client";`,
  `import { createKeyPairSignerFromBytes, getBase58Encoder } from "@solana/kit";`,
  "",
  "const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(process.env.PRIVATE_KEY));",
  `const client = new x402Client().register("solana:*", new ExactSvmScheme(signer));`,
];

function initOf(method: string, body: unknown): string {
  if (body === undefined) return method === "GET" ? "" : `, { method: ${JSON.stringify(method)} }`;
  return `, {
  method: ${JSON.stringify(method)},
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(${JSON.stringify(body)}),
}`;
}
