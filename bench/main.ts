/** `npm run bench -- NAME [flags]`: runs one bench. */
import { runAdminBench } from "./admin.ts";
import { runCompressionBench } from "./compression.ts";
import { runContentBench } from "./content.ts";
import { runContentAttackBench } from "./content-attack.ts";
import { runContentSoak } from "./content-soak.ts";
import { runFetchBench } from "./fetch.ts";
import { runFiltersBench } from "./filters.ts";
import { runFleetBench } from "./fleet.ts";
import { runFrontBench } from "./front.ts";
import { runGrowthBench } from "./growth.ts";
import { http1 } from "./http1.ts";
import { http2Hpack } from "./http2-hpack.ts";
import { runLedgerBench } from "./ledger.ts";
import { runLogLineBench } from "./log-line.ts";
import { runMarkdownBench } from "./html-to-markdown.ts";
import { runPagesBench } from "./pages.ts";
import { runPaymentBench } from "./payment.ts";
import { runPolicyBench } from "./policy.ts";
import { runPolicyPartsBench } from "./policy-parts.ts";
import { runProxyBench } from "./proxy.ts";
import { runQuicInitialsBench } from "./quic-initials.ts";
import { runReaderBench } from "./reader.ts";
import { runResolveBench } from "./resolve.ts";
import { runSearchBench } from "./search.ts";
import { runSlowClientsBench } from "./slow-clients.ts";
import { runSlowReadersBench } from "./slow-readers.ts";
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
    name: "slow-clients",
    about: "what a well-behaved client gets while others upload and download slowly, beside nginx and HAProxy",
    run: runSlowClientsBench,
  },
  {
    name: "slow-readers",
    about: "memory of the processes and of the kernel for clients that do not read a large response",
    run: runSlowReadersBench,
  },
  {
    name: "quic-initials",
    about: "CPU time and memory for first packets of QUIC that no handshake follows",
    run: runQuicInitialsBench,
  },
  {
    name: "admin",
    about: "what a gateway under load loses to the console and to wrong keys; 10,000 routes",
    run: runAdminBench,
  },
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
  { name: "start", about: "from the command to the first response, beside nginx", run: runStartBench },
  {
    name: "content",
    about: "the content service beside puppeteer-core, jsdom and turndown",
    run: runContentBench,
  },
  {
    name: "content-attack",
    about: "a neighbour's pages while hostile pages are visited",
    run: runContentAttackBench,
  },
  { name: "content-soak", about: "a thousand mixed pages in a row: memory, processes", run: runContentSoak },
  {
    name: "fetch",
    about: "one document without a browser: other clients, codings, parsing as it comes",
    run: runFetchBench,
  },
  {
    name: "filters",
    about: "WebAssembly filters: a request through one, the metering, reading modules",
    run: runFiltersBench,
  },
  { name: "payment", about: "asking for payment, verifying it, and what it adds to a request", run: runPaymentBench },
  { name: "policy", about: "each policy's cost, and all at once, beside nginx", run: runPolicyBench },
  { name: "policy-parts", about: "parts of policies without sockets, beside the plain way", run: runPolicyPartsBench },
  { name: "log-line", about: "a line of the access log, beside JSON.stringify", run: runLogLineBench },
  { name: "compression", about: "CPU time per megabyte of each coding, beside nginx's gzip", run: runCompressionBench },
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
  { name: "http2-hpack", about: "header compression alone: heads decoded and encoded", run: http2Hpack },
];

const [name, ...args] = process.argv.slice(2);
const bench = BENCHES.find((candidate) => candidate.name === name);
if (bench === undefined) {
  console.error("usage: npm run bench -- NAME [flags]\n\nbenches:");
  for (const { name: known, about } of BENCHES) console.error(`  ${known.padEnd(12)} ${about}`);
  process.exit(2);
}
process.exit(await bench.run(args));
