/** `npm run conformance`: the HTTP cache and JSON Schema; `-- json-schema` plays that alone, `-- ID` one test of the cache. */
import { argv } from "node:process";

const [only = ""] = argv.slice(2);
if (only !== "json-schema") await import("./http-cache/main.ts");
if (only === "json-schema" || only === "") await import("./json-schema/main.ts");
