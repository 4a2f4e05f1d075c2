/** The content service for the bench. Argument: a folder. Prints its port, and the browser that it found. */
import { startContentService } from "../../src/content/service.ts";

const [stateDir = ""] = process.argv.slice(2);
const service = await startContentService({
  listen: { hostname: "127.0.0.1", port: 0 },
  stateDir,
  allowPrivate: true,
  log: () => undefined,
});
const { address } = service;
if ("unix" in address) throw new Error("Cannot bench the service: it has no port");
console.log(`port ${address.port}`);
