import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { version } from "solc/package.json";
import { z } from "zod";
import { inTestCache } from "../../lib/testing/test-cache.ts";
import { uniqueName } from "../../lib/text/unique-name.ts";
import { type Hex } from "../x402/address.ts";

const FOLDER = join(import.meta.dir, "contracts");

/** A compiled contract: the code for its deployment, and the code at its address afterwards. */
export interface Contract {
  readonly creation: Hex;
  readonly runtime: Hex;
}

const bytecode = z.object({ object: z.string().regex(/^[0-9a-f]*$/) });
const output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(z.string(), z.record(z.string(), z.object({ evm: z.object({ bytecode, deployedBytecode: bytecode }) })))
    .default({}),
});

let compiled: Promise<ReadonlyMap<string, Contract>> | undefined;

/**
 * The contract `name` of src/payments/testing/contracts/. Throws if it does not exist, or if a contract does not
 * compile.
 */
export async function testContract(name: string): Promise<Contract> {
  compiled ??= compileAll();
  const contract = (await compiled).get(name);
  if (contract === undefined)
    throw new Error(`Cannot deploy ${name}: no such contract in src/payments/testing/contracts`);
  return contract;
}

async function compileAll(): Promise<ReadonlyMap<string, Contract>> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sol")).toSorted();
  const sources = await Promise.all(
    names.map(async (name) => [name, { content: await Bun.file(join(FOLDER, name)).text() }] as const),
  );
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(sources),
    settings: {
      // With the optimizer, compiling takes more than twice as long.
      optimizer: { enabled: false },
      // The code must contain no path of this machine and no hash of the sources.
      metadata: { bytecodeHash: "none" },
      outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } },
    },
  };
  const { errors, contracts } = output.parse(JSON.parse(await compile(JSON.stringify(input))));
  const fatal = errors.find(({ severity }) => severity === "error");
  if (fatal !== undefined) throw new Error(`Cannot compile the test contracts: ${fatal.formattedMessage}`);
  const all = new Map<string, Contract>();
  for (const file of Object.values(contracts)) {
    for (const [name, { evm }] of Object.entries(file)) {
      // Interfaces have no code.
      if (evm.bytecode.object === "") continue;
      if (all.has(name)) throw new Error(`Cannot compile the test contracts: there are two of the name ${name}`);
      all.set(name, { creation: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` });
    }
  }
  return all;
}

/** The compiler's output, which is stored: compiling takes 1.6 s of CPU time. */
async function compile(input: string): Promise<string> {
  const stored = inTestCache(`contracts-${Bun.hash(version + input).toString(36)}.json`);
  if (await Bun.file(stored).exists()) return await Bun.file(stored).text();
  const { default: solc } = await import("solc");
  const compiledNow = solc.compile(input);
  const own = `${stored}-${uniqueName()}`;
  await Bun.write(own, compiledNow);
  await rename(own, stored);
  return compiledNow;
}
