/** Compiles the modules that several test files use, for the cache: files that run at the same time would each compile them. */
import { corpus } from "../src/gateway/filters/module/testing/corpus.ts";
import { EXAMPLES, exampleFilters } from "../src/gateway/filters/module/testing/example-filters.ts";

await Promise.all([exampleFilters(...EXAMPLES), corpus()]);
