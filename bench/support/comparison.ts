/** A bench that compares programs: its command line, tools, processes and exit codes. */
import { messageOf } from "../../src/lib/caught.ts";
import { Children } from "./children.ts";
import { isInstalled } from "./programs.ts";

/** The exit code of a program that SIGINT ended, as in shells. */
const INTERRUPTED = 130;

export interface Comparison<Options> {
  readonly name: string;
  readonly usage: string;
  /** Program and Debian package of each required tool. */
  readonly tools: readonly (readonly [program: string, debianPackage: string])[];
  /** Throws if the arguments are wrong. */
  read(args: readonly string[]): Options;
  measure(children: Children, options: Options): Promise<void>;
}

/** The exit code: 0 done, 1 a program failed, 2 usage, 130 interrupted. */
export async function compare<Options>(bench: Comparison<Options>, args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = bench.read(args);
  } catch (error) {
    console.error(`${messageOf(error)}\n${bench.usage}`);
    return 2;
  }
  if (process.platform !== "linux" || !bench.tools.every(([program]) => isInstalled(program))) {
    const tools = bench.tools.map(([program, debian]) => `${program} (Debian: ${debian})`);
    console.error(`Cannot run the ${bench.name} bench: it needs Linux (/proc), ${tools.join(", ")}`);
    return 1;
  }
  const children = new Children();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => void children.close().then(() => process.exit(INTERRUPTED)));
  }
  try {
    await bench.measure(children, options);
    return 0;
  } catch (error) {
    if (children.closing) return INTERRUPTED;
    console.error(messageOf(error));
    return 1;
  } finally {
    await children.close();
  }
}
