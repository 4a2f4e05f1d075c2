/** Node's HTTP parser, llhttp, in a separate process. */
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { type Readable, type Writable } from "node:stream";

/** Node's reading of a request. */
export interface Verdict {
  readonly method?: string;
  readonly url?: string;
  readonly fields?: readonly string[];
  readonly body?: string;
  readonly error?: string;
}

export class Oracle {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;
  readonly #waiting: ((verdict: Verdict) => void)[] = [];

  constructor() {
    // The `node` of the machine, because Bun has another HTTP parser.
    this.#process = spawn("node", [join(import.meta.dir, "llhttp-oracle.mjs")], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#process.stdout });
    // The lines are the output of the script beside this file.
    this.#lines.on("line", (line) => this.#waiting.shift()?.(JSON.parse(line) as Verdict));
  }

  ask(inputs: readonly Buffer[]): Promise<Verdict[]> {
    const verdicts = inputs.map(() => new Promise<Verdict>((resolve) => this.#waiting.push(resolve)));
    this.#process.stdin.write(inputs.map((input) => `${input.toString("base64")}\n`).join(""));
    return Promise.all(verdicts);
  }

  close(): void {
    this.#lines.close();
    this.#process.kill();
  }
}
