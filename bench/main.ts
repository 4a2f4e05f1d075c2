/** `npm run bench -- NAME [flags]`: runs one bench. */
import { runAdminBench } from "./admin.ts";
import { runChannelsBench } from "./channels.ts";
import { runContentBench } from "./content.ts";
import { runContentSoak } from "./content-soak.ts";
import { runDocumentsBench } from "./documents.ts";
import { runFieldsBench } from "./fields.ts";
import { runFiltersBench } from "./filters.ts";
import { runFleetBench } from "./fleet.ts";
import { runFrontBench } from "./front.ts";
import { runFrontierBench } from "./frontier.ts";
import { runGrowthBench } from "./growth.ts";
import { http1 } from "./http1.ts";
import { runLedgerBench } from "./ledger.ts";
import { runMarkdownBench } from "./html-to-markdown.ts";
import { runPagesBench } from "./pages.ts";
import { runPartsBench } from "./parts.ts";
import { runPaymentBench } from "./payment.ts";
import { runPolicyBench } from "./policy.ts";
import { runProxyBench } from "./proxy.ts";
import { runReaderBench } from "./reader.ts";
import { runResolveBench } from "./resolve.ts";
import { runSearchBench } from "./search.ts";
import { runStartBench } from "./start.ts";

interface Bench {
  readonly name: string;
  readonly about: string;
  /** Takes the arguments after the name, and resolves to the exit code. */
  run(args: readonly string[]): Promise<number>;
}

const BENCHES: readonly Bench[] = [
  {
    name: "markdown",
    about: "HTML to Markdown: CPU time per megabyte, beside jsdom and turndown",
    run: runMarkdownBench,
  },
  { name: "proxy", about: "Turnpike beside nginx, HAProxy and Caddy, driven by wrk", run: runProxyBench },
  {
    name: "documents",
    about: "PDF documents with known tables: F1 of their cells, of tables with lines and without",
    run: runDocumentsBench,
  },
  {
    name: "admin",
    about: "10,000 routes: listing, adding, reloading",
    run: runAdminBench,
  },
  { name: "channels", about: "requests that are paid by vouchers, beside free ones", run: runChannelsBench },
  { name: "fleet", about: "paid requests through one to three gateways on one PostgreSQL", run: runFleetBench },
  {
    name: "front",
    about: "TLS, connections, HTTP/2, files, memory: beside nginx, HAProxy and Caddy",
    run: runFrontBench,
  },
  {
    name: "growth",
    about: "CPU of a request by routes, upstreams, header fields and connections, beside nginx; plots",
    run: runGrowthBench,
  },
  {
    name: "frontier",
    about: "addresses of crawls: found, taken and finished in SQLite and PostgreSQL; --crawl COUNT: a whole crawl",
    run: runFrontierBench,
  },
  { name: "start", about: "from the command to the first response, beside nginx", run: runStartBench },
  {
    name: "content",
    about: "the content service beside puppeteer-core, jsdom and turndown",
    run: runContentBench,
  },
  { name: "content-soak", about: "a thousand mixed pages in a row: memory, processes", run: runContentSoak },
  { name: "fields", about: "fields by a schema: precision and recall on generated pages", run: runFieldsBench },
  {
    name: "filters",
    about: "WebAssembly filters: the fuel of loops, hostile filters, requests through a gateway",
    run: runFiltersBench,
  },
  { name: "policy", about: "each policy's cost, and all at once, beside nginx", run: runPolicyBench },
  { name: "payment", about: "asking for payment, verifying it, and what it adds to a request", run: runPaymentBench },
  { name: "parts", about: "steps of policies, log and HPACK without sockets", run: runPartsBench },
  { name: "search", about: "the search index, its crawler, and merging the results of engines", run: runSearchBench },
  {
    name: "resolve",
    about: "real claims asked as questions: AUROC, calibration, coverage and accuracy of the embedded analyst",
    run: runResolveBench,
  },
  {
    name: "reader",
    about: "the main content of pages: how much of it is found, and at what cost",
    run: runReaderBench,
  },
  { name: "pages", about: "every format of each page of a data set: errors, timeouts, F1", run: runPagesBench },
  { name: "ledger", about: "a payment's life in the ledger: SQLite and PostgreSQL", run: runLedgerBench },
  { name: "http1", about: "the HTTP/1 codec and the forward path, without sockets", run: http1 },
];

const [name, ...args] = process.argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
if (bench === undefined) {
  console.error("usage: npm run bench -- NAME [flags]\n\nbenches:");
  for (const { name: known, about } of BENCHES) console.error(`  ${known.padEnd(12)} ${about}`);
  process.exit(2);
}
process.exit(await bench.run(args));
