/** Every snippet of /docs is run unchanged against a real gateway in test mode. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { OPERATIONS } from "../../src/content/operations/operations.ts";
import { expiryOf, signChoice } from "../../src/payments/client/sign-choice.ts";
import { choosePayment } from "../../src/payments/client/choice.ts";
import { PAYER, PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { decodeHeader, encodeHeader } from "../../src/payments/x402/header.ts";
import { paymentRequiredSchema } from "../../src/payments/x402/messages.ts";
import { type Documentation, startDocumentation } from "../support/documentation.ts";
import { type Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

const ROOT = join(import.meta.dir, "../..");

let documentation: Documentation;
let scripts: Scripts;
let page: string;

beforeAll(async () => {
  documentation = await startDocumentation();
  scripts = new Scripts(documentation.folder);
  page = await (await fetch(`${documentation.url}/docs`)).text();
  mkdirSync(documentation.folder.file("node_modules"));
  for (const name of ["@x402", "viem"]) {
    symlinkSync(join(ROOT, "node_modules", name), documentation.folder.file(`node_modules/${name}`));
  }
});

afterAll(() => documentation.stop());

/**
 * Runs the scripts whose paths it gets, one after another, and responds with the error of each, or with an empty text. Loading the packages
 * of the snippets takes most of the CPU time of a process.
 */
const SCRIPTS = `
process.on("message", async (path) => {
  const error = await import(path).then(() => "", (reason) => reason.stack || "it failed");
  process.send(error);
});`;

/** Node for the snippets in JavaScript. */
class Scripts {
  readonly #node: Bun.Subprocess<"ignore", "ignore", "pipe">;
  #responded = Promise.withResolvers<string>();

  constructor(folder: Folder) {
    this.#node = Bun.spawn(["node", folder.write("scripts.mjs", SCRIPTS)], {
      cwd: folder.path,
      env: { ...Bun.env, PRIVATE_KEY },
      stdio: ["ignore", "ignore", "pipe"],
      serialization: "json",
      ipc: (error) => this.#responded.resolve(String(error)),
    });
    void this.#node.exited.then((code) => this.#responded.resolve(`Node ended with ${code}`));
  }

  async run(path: string): Promise<string> {
    this.#responded = Promise.withResolvers();
    this.#node.send(path);
    return await this.#responded.promise;
  }

  /** The exit code and the errors of Node, once nothing of the scripts keeps it running. */
  async end(): Promise<readonly [number, string]> {
    this.#node.disconnect();
    return [await this.#node.exited, await this.#node.stderr.text()];
  }
}

async function run(command: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const { folder } = documentation;
  const env = { ...Bun.env, TURNPIKE_HOME: folder.path, PRIVATE_KEY, ...more };
  const child = Bun.spawn([...command], { cwd: folder.path, env, stdio: ["ignore", "pipe", "pipe"] });
  const [err, code] = await Promise.all([child.stderr.text(), child.exited, child.stdout.text()]);
  return code === 0 ? "" : `${code}: ${err}`;
}

function text(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

/** The snippets of an operation by their captions. */
function snippetsOf(name: string): ReadonlyMap<string, string> {
  const section = page.split(`<section class="operation" id="${name}"`)[1]?.split("</section>")[0] ?? "";
  const found = section.matchAll(/<figcaption>([^<]*)<\/figcaption><pre><code>([^]*?)<\/code>/g);
  return new Map([...found].map(([, caption = "", code = ""]) => [caption, text(code)]));
}

/** A signed payment for an operation, in the form of the variable in the curl lines. */
async function paymentFor(path: string, example: unknown): Promise<string> {
  const unpaid = await fetch(documentation.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(example),
  });
  const required = paymentRequiredSchema.parse(decodeHeader(unpaid.headers.get("payment-required") ?? ""));
  const account = { address: PAYER, privateKey: Uint8Array.from(Buffer.from(PRIVATE_KEY.slice(2), "hex")) };
  const choice = await choosePayment(required, { maxPrice: "$1" });
  return encodeHeader(signChoice(required, choice, account, expiryOf(choice, Date.now())));
}

for (const { name, path, price, example } of OPERATIONS) {
  test(`the snippets of ${name} call it, and pay for it`, async () => {
    const snippets = snippetsOf(name);
    const curl = `${snippets.get("curl") ?? "false"} --fail --silent`;
    const payment = price === undefined ? "" : await paymentFor(path, example);
    const ways = [() => run(["sh", "-c", curl], { PAYMENT: payment })];
    if (price !== undefined) {
      const script = documentation.folder.write(`${name}.mjs`, snippets.get("JavaScript") ?? "throw 0");
      ways.push(() => scripts.run(script));
    }
    for (const way of ways) {
      const before = documentation.runs.length;
      expect(await way()).toBe("");
      expect(documentation.runs.slice(before)).toEqual([{ name, body: example }]);
    }
  });
}

test("the snippets in JavaScript leave no work or error behind", async () => {
  expect(await scripts.end()).toEqual([0, ""]);
});
