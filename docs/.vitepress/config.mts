/** The site of these documents: `npm run docs` builds it into `site/`. */
import { defineConfig } from "vitepress";
import { repositoryLinks } from "../../scripts/site/repository-links.ts";
import { slugOf } from "../../scripts/site/slug.ts";

/** Tables of the reference are wide: they use the whole width, and long names may break. */
const STYLE = `
:root { --vp-layout-max-width: 1680px; }
.VPDoc.has-aside .content-container { max-width: 1000px !important; }
.vp-doc table { display: table; width: 100%; overflow-wrap: anywhere; }
.vp-doc th, .vp-doc td { padding: 6px 10px; font-size: 13px; line-height: 20px; vertical-align: top; }
.vp-doc th, .vp-doc td:first-child { overflow-wrap: normal; }
.vp-doc td:not(:first-child):not(:last-child) { min-width: 92px; }
.vp-doc td:last-child { min-width: 120px; }
@media (max-width: 640px) { .vp-doc table { display: block; } }
`;

export default defineConfig({
  title: "Turnpike",
  description: "An HTTP gateway that sells web content and APIs by the request, paid with x402",
  outDir: "../site",
  cacheDir: "../node_modules/.cache/vitepress",
  head: [["style", {}, STYLE]],
  // repositoryLinks makes them plain text.
  ignoreDeadLinks: [/^\.?\.\.\//],
  markdown: { anchor: { slugify: slugOf }, config: repositoryLinks },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/getting-started" },
      { text: "Configuration", link: "/configuration" },
      { text: "Errors", link: "/errors" },
    ],
    sidebar: [
      {
        text: "Start",
        items: [
          { text: "What Turnpike is", link: "/" },
          { text: "Getting started", link: "/getting-started" },
        ],
      },
      {
        text: "How-to guides",
        items: [
          { text: "Sell an API", link: "/guides/sell-an-api" },
          { text: "Sell to people in browsers", link: "/guides/sell-to-browsers" },
          { text: "Read web pages", link: "/guides/read-pages" },
          { text: "Crawl a site", link: "/guides/crawl-a-site" },
          { text: "Sessions", link: "/guides/sessions" },
          { text: "Use Firecrawl's clients", link: "/guides/firecrawl" },
          { text: "Routes", link: "/guides/routes" },
          { text: "Load balancing", link: "/guides/load-balancing" },
          { text: "Install", link: "/guides/install" },
          { text: "TLS, HTTP/3 and files", link: "/guides/tls" },
          { text: "Protect an API", link: "/guides/protect-an-api" },
          { text: "WebAssembly filters", link: "/filters" },
          { text: "Several gateways", link: "/guides/several-gateways" },
          { text: "Kubernetes", link: "/guides/kubernetes" },
          { text: "Upgrade", link: "/guides/upgrade" },
          { text: "Operate a gateway", link: "/admin" },
          { text: "Runbook", link: "/runbook" },
        ],
      },
      {
        text: "Traffic",
        items: [
          { text: "Policies", link: "/policies" },
          { text: "Authentication", link: "/authentication" },
          { text: "Rate limits", link: "/rate-limits" },
          { text: "Request bodies", link: "/body-schema" },
          { text: "Cache", link: "/http-cache" },
          { text: "Tenants", link: "/tenants" },
        ],
      },
      {
        text: "Payments",
        items: [
          { text: "Payments", link: "/payments" },
          { text: "PostgreSQL", link: "/postgres" },
        ],
      },
      {
        text: "Web content",
        items: [
          { text: "Page engines", link: "/engines" },
          { text: "Article extraction", link: "/reader" },
          { text: "PDF documents", link: "/pdf" },
          { text: "Search", link: "/search" },
          { text: "Resolve", link: "/resolve" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "Configuration", link: "/configuration" },
          { text: "Errors", link: "/errors" },
          { text: "Metrics", link: "/metrics" },
          { text: "Events and draining", link: "/events" },
          { text: "Usage", link: "/usage" },
          { text: "Tracing", link: "/tracing" },
          { text: "Bounds", link: "/reference/bounds" },
        ],
      },
      {
        text: "Explanation",
        items: [
          { text: "Architecture", link: "/architecture" },
          { text: "Decisions", link: "/decisions/README" },
          { text: "Performance", link: "/performance" },
        ],
      },
    ],
  },
});
