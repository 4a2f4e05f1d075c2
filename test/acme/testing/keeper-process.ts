/** A keeper of certificates in a process of its own, which a test can kill. The argument has the options as JSON. */
import { Keeping } from "./keeping.ts";

await Keeping.start({ ...JSON.parse(process.argv[2] ?? ""), deps: { log: (line: string) => console.log(line) } });
