/**
 * `npm run conformance`: the HTTP cache and JSON Schema; `-- http-cache` or `-- json-schema` plays one, `-- ID` one test of the
 * cache, and `-- spellings` asks real servers for guarded paths.
 */
import { argv } from "node:process";

const [only = ""] = argv.slice(2);
if (only === "spellings") await import("./spellings/main.ts");
else if (only !== "json-schema") await import("./http-cache/main.ts");
if (only === "json-schema" || only === "") await import("./json-schema/main.ts");
