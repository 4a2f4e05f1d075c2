import { expect, test } from "bun:test";
import { stockProgram } from "./stock-client.ts";

const URL = "https://shop.test/read";

test("the program of a GET without a body prints the response", () => {
  const program = stockProgram({ method: "GET", url: URL, body: undefined });
  expect(program.split("\n").slice(-3)).toEqual([
    "const pay = wrapFetchWithPayment(fetch, client);",
    `const response = await pay("${URL}");`,
    "console.log(response.status, await response.text());",
  ]);
  expect(program).toContain(`register("eip155:*", new ExactEvmScheme(account))`);
  expect(program).not.toContain("writeFile");
});

test("a method, a body, limits and a file are in the program", () => {
  const options = { scheme: "upto", controls: ["client.limit();"], file: "page.pdf" } as const;
  const program = stockProgram({ method: "POST", url: URL, body: { a: 1 } }, options);
  expect(program).toStartWith(`import { writeFile } from "node:fs/promises";\n`);
  for (const part of [
    `import { UptoEvmScheme } from "@x402/evm/upto/client";`,
    "client.limit();\nconst pay =",
    `await pay("${URL}", {\n  method: "POST",\n`,
    `body: JSON.stringify({"a":1}),\n}`,
    `await writeFile("page.pdf", `,
  ]) {
    expect(program).toContain(part);
  }
  expect(program).not.toContain("console.log");
  const deletes = stockProgram({ method: "DELETE", url: URL, body: undefined }, { isSolana: true });
  expect(deletes).toContain(`await pay("${URL}", { method: "DELETE" });`);
  expect(deletes).toContain(`register("solana:*", new ExactSvmScheme(signer))`);
  expect(deletes).not.toContain("evm");
});
