#!/usr/bin/env node
// Starts the pinned Bun that npm installed, with the command line as it came. Plain Node: runs before anything else is there.
import { fileURLToPath } from "node:url";
import { runBun } from "../scripts/bun.mjs";

runBun([fileURLToPath(new URL("../src/cli/main.ts", import.meta.url)), ...process.argv.slice(2)]);
