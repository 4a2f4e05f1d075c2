/** The site of these documents: `npm run docs` builds it into `site/`. */
import { defineConfig } from "vitepress";
import { slugOf } from "../../scripts/site/slug.ts";

export default defineConfig({
  title: "Turnpike",
  description: "An HTTP gateway that sells web content and APIs by the request, paid with x402",
  outDir: "../site",
  cacheDir: "../node_modules/.cache/vitepress",
  // Links out of docs/ are made plain text below.
  ignoreDeadLinks: [/^\.?\.\.\//],
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slugOf },
    config(md) {
      // Files of the repository that are no pages of the site: their links keep the text alone.
      md.core.ruler.after("inline", "repository-links", (state) => {
        for (const { children } of state.tokens) {
          let outside = false;
          for (const token of children ?? []) {
            if (token.type === "link_open") outside = token.attrGet("href")?.startsWith("../") ?? false;
            if (outside && token.type.startsWith("link_")) {
              token.tag = "span";
              token.attrs = [];
              token.type = token.type.replace("link", "span");
            }
            if (token.type === "span_close") outside = false;
          }
        }
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      {
        text: "How-to guides",
        items: [
          { text: "Payments", link: "/payments" },
          { text: "Filters", link: "/filters" },
          { text: "Tenants", link: "/tenants" },
        ],
      },
      {
        text: "Reference",
        items: [
          { text: "Configuration", link: "/configuration" },
          { text: "Errors", link: "/errors" },
        ],
      },
    ],
  },
});
