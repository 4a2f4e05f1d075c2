/**
 * `npm run conformance`: the HTTP cache and JSON Schema. `-- http-cache` or `-- json-schema` runs one of them, `-- ID`
 * one test of the cache, and `-- spellings` requests protected paths from real servers.
 */
import { argv } from "node:process";

const [only = ""] = argv.slice(2);
if (only === "spellings") await import("./spellings/main.ts");
else if (only !== "json-schema") await import("./http-cache/main.ts");
if (only === "json-schema" || only === "") await import("./json-schema/main.ts");
