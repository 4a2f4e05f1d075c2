/** The cost of WebAssembly filters in CPU time: of the fuel of an invocation, of hostile filters, and of requests. */
import { parseArgs } from "node:util";
import { measureChain } from "./filters/chain.ts";
import { measureHostile } from "./filters/hostile.ts";
import { measureHostLoops, measureLoops } from "./filters/loops.ts";
import { type Children } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { readRounds, type Rounds } from "./support/options.ts";

const ALLOW = `export function on_request(): i32 { return 0; }`;
const TWO_READS = `
@external("env", "get_header") declare function get_header(name: usize, length: i32, out: usize, capacity: i32): i32;
const KEY = memory.data<u8>([0x78, 0x2d, 0x61, 0x70, 0x69, 0x2d, 0x6b, 0x65, 0x79]);
const HOST = memory.data<u8>([0x68, 0x6f, 0x73, 0x74]);
const OUT = memory.data(256);
export function on_request(): i32 {
  return get_header(KEY, 9, OUT, 128) == 16 && get_header(HOST, 4, OUT + 128, 128) > 0 ? 0 : 1;
}`;

interface Options extends Rounds {
  readonly isChainOnly: boolean;
}

/** `npm run bench -- filters [--rounds N] [--seconds N] [--chain]`: with `--chain` only requests through a gateway. */
export async function runFiltersBench(args: readonly string[]): Promise<number> {
  const options = {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    chain: { type: "boolean", default: false },
  } as const;
  const bench = {
    name: "filters",
    usage: "usage: npm run bench -- filters [--rounds N] [--seconds N] [--chain]",
    tools: [["wrk", "wrk"]] as const,
    read(given: readonly string[]) {
      const { values } = parseArgs({ args: [...given], options });
      return { ...readRounds(values), isChainOnly: values.chain };
    },
    measure,
  };
  return await compare(bench, args);
}

async function measure(children: Children, { isChainOnly, ...rounds }: Options): Promise<void> {
  if (!isChainOnly) {
    console.log("5,000,000 units of fuel in a loop, until it has none left:");
    await measureLoops(rounds.rounds);
    console.log("\nThe same over functions of the gateway:");
    await measureHostLoops(rounds.rounds);
    console.log("\nA request to a filter that means harm, with 5,000,000 units of fuel:");
    await measureHostile(rounds.rounds);
    console.log("");
  }
  console.log("Requests through a gateway, beside those of a route without filters:");
  await measureChain(children, rounds, { allow: ALLOW, reads: TWO_READS });
}
