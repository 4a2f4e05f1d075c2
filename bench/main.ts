/** `npm run bench -- NAME [flags]`: runs one bench, and loads only its modules. */
import { argv, exit } from "node:process";

interface Bench {
  readonly name: string;
  readonly about: string;
  /** Takes the arguments after the name, and resolves to the exit code. */
  run(args: readonly string[]): Promise<number>;
}

const BENCHES: readonly Bench[] = [
  {
    name: "markdown",
    about: "HTML to Markdown: CPU time per megabyte",
    run: async (args) => (await import("./html-to-markdown.ts")).runMarkdownBench(args),
  },
  {
    name: "proxy",
    about: "Turnpike beside nginx, HAProxy and Caddy, driven by wrk",
    run: async (args) => (await import("./proxy.ts")).runProxyBench(args),
  },
  {
    name: "documents",
    about: "PDF documents with known tables: F1 of their cells, of tables with lines and without",
    run: async (args) => (await import("./documents.ts")).runDocumentsBench(args),
  },
  {
    name: "files",
    about: "Office files, books and scans with known text: F1 of their words",
    run: async (args) => (await import("./files.ts")).runFilesBench(args),
  },
  {
    name: "admin",
    about: "10,000 routes: listing, adding, reloading",
    run: async (args) => (await import("./admin.ts")).runAdminBench(args),
  },
  {
    name: "channels",
    about: "requests that are paid by vouchers, beside free ones",
    run: async (args) => (await import("./channels.ts")).runChannelsBench(args),
  },
  {
    name: "fleet",
    about: "paid requests through one to three gateways on one PostgreSQL",
    run: async (args) => (await import("./fleet.ts")).runFleetBench(args),
  },
  {
    name: "front",
    about: "TLS, connections, HTTP/2, files, memory: beside nginx, HAProxy and Caddy",
    run: async (args) => (await import("./front.ts")).runFrontBench(args),
  },
  {
    name: "growth",
    about: "CPU of a request by routes, upstreams, header fields and connections, beside nginx; plots",
    run: async (args) => (await import("./growth.ts")).runGrowthBench(args),
  },
  {
    name: "frontier",
    about: "addresses of crawls: found, taken and finished in SQLite and PostgreSQL; --crawl COUNT: a whole crawl",
    run: async (args) => (await import("./frontier.ts")).runFrontierBench(args),
  },
  {
    name: "start",
    about: "from the command to the first response, beside nginx",
    run: async (args) => (await import("./start.ts")).runStartBench(args),
  },
  {
    name: "content",
    about: "the content service beside puppeteer-core, jsdom and turndown",
    run: async (args) => (await import("./content.ts")).runContentBench(args),
  },
  {
    name: "content-soak",
    about: "a thousand mixed pages in a row: memory, processes",
    run: async (args) => (await import("./content-soak.ts")).runContentSoak(args),
  },
  {
    name: "fields",
    about: "fields by a schema: precision and recall on generated pages",
    run: async (args) => (await import("./fields.ts")).runFieldsBench(args),
  },
  {
    name: "filters",
    about: "WebAssembly filters: the fuel of loops, hostile filters, requests through a gateway",
    run: async (args) => (await import("./filters.ts")).runFiltersBench(args),
  },
  {
    name: "policy",
    about: "each policy's cost, and all at once, beside nginx",
    run: async (args) => (await import("./policy.ts")).runPolicyBench(args),
  },
  {
    name: "payment",
    about: "asking for payment, verifying it, and what it adds to a request",
    run: async (args) => (await import("./payment.ts")).runPaymentBench(args),
  },
  {
    name: "parts",
    about: "steps of policies, log and HPACK without sockets",
    run: async (args) => (await import("./parts.ts")).runPartsBench(args),
  },
  {
    name: "search",
    about: "the search index, its crawler, and merging the results of engines",
    run: async (args) => (await import("./search.ts")).runSearchBench(args),
  },
  {
    name: "resolve",
    about: "real claims asked as questions: AUROC, calibration, coverage and accuracy of the embedded analyst",
    run: async (args) => (await import("./resolve.ts")).runResolveBench(args),
  },
  {
    name: "reader",
    about: "the main content of pages: how much of it is found, and at what cost",
    run: async (args) => (await import("./reader.ts")).runReaderBench(args),
  },
  {
    name: "pages",
    about: "every format of each page of a data set: errors, timeouts, F1",
    run: async (args) => (await import("./pages.ts")).runPagesBench(args),
  },
  {
    name: "live-view",
    about: "CPU time of a browser by the minute, by the number of viewers",
    run: async (args) => (await import("./live-view.ts")).runLiveViewBench(args),
  },
  {
    name: "ledger",
    about: "a payment's life in the ledger: SQLite and PostgreSQL",
    run: async (args) => (await import("./ledger.ts")).runLedgerBench(args),
  },
  {
    name: "http1",
    about: "the HTTP/1 codec and the forward path, without sockets",
    run: async (args) => (await import("./http1.ts")).http1(args),
  },
];

const [name, ...args] = argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
if (bench === undefined) {
  console.error("usage: npm run bench -- NAME [flags]\n\nbenches:");
  for (const { name: known, about } of BENCHES) console.error(`  ${known.padEnd(12)} ${about}`);
  exit(2);
}
exit(await bench.run(args));
