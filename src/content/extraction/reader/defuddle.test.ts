import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";

// A worker that loads two parsers takes its time on a busy machine.
setDefaultTimeout(patient(60_000));

/** Sites that the library has extractors for, most of which would ask a server for more. */
const ADDRESSES = [
  "https://www.youtube.com/watch?v=abcdefghijk",
  "https://youtu.be/abcdefghijk",
  "https://x.com/someone/status/1234567890123456789",
  "https://twitter.com/someone/status/1234567890123456789",
  "https://www.reddit.com/r/bread/comments/abc123/a_title/",
  "https://old.reddit.com/r/bread/comments/abc123/a_title/",
  "https://news.ycombinator.com/item?id=1",
  "https://github.com/someone/something/issues/1",
  "https://www.bilibili.com/video/BV1xx411c7mD",
  "https://bsky.app/profile/someone.test/post/abc",
  "https://mastodon.social/@someone/1",
  "https://www.threads.net/@someone/post/abc",
  "https://someone.substack.com/p/a-title",
  "https://medium.com/@someone/a-title-abc",
  "https://leetcode.com/problems/two-sum/",
  "https://wiki.c2.com/?WikiWikiWeb",
  "https://en.wikipedia.org/wiki/Rye",
  "https://lwn.net/Articles/1/",
  "https://chatgpt.com/share/abc",
  "https://www.nytimes.com/2026/01/01/a.html",
];

/** What the worker runs: each way to the network writes down that it was taken. */
const WORKER = (modules: Record<"defuddle" | "page" | "metadata" | "tree", string>): string => `
const calls = [];
const record = (name) => function () { calls.push(name); throw new Error("no network"); };
for (const name of ["fetch", "WebSocket", "XMLHttpRequest", "EventSource"]) globalThis[name] = record(name);
Bun.connect = record("connect");
const written = [];
console.error = (...args) => written.push(String(args[0]));
const { defuddle } = await import(${JSON.stringify(modules.defuddle)});
const { readerPage } = await import(${JSON.stringify(modules.page)});
const { metadataOf } = await import(${JSON.stringify(modules.metadata)});
const { parseTree } = await import(${JSON.stringify(modules.tree)});
self.onmessage = async ({ data }) => {
  let read = 0;
  for (const url of data) {
    for (const body of ["", "<p>Some words of a page that has hardly any.</p>", '<script type="application/ld+json">{"broken</script><p>x</p>']) {
      const tree = parseTree("<title>t</title><body>" + body);
      defuddle(readerPage(tree, url, metadataOf(tree)));
      read += 1;
    }
  }
  // What was begun without being waited for comes in the next turns.
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  self.postMessage({ calls, written, read });
};
self.postMessage("ready");
`;

const at = (path: string): string => new URL(path, import.meta.url).href;

test("defuddle asks no server for anything, whatever the page's address, and writes nothing to standard error", async () => {
  const code = WORKER({
    defuddle: at("./defuddle.ts"),
    page: at("./reader-page.ts"),
    metadata: at("./metadata.ts"),
    tree: at("../tree.ts"),
  });
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const answer = await new Promise<unknown>((resolve, reject) => {
    worker.addEventListener("error", (event) => reject(new Error(event.message)));
    worker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (data === "ready") worker.postMessage(ADDRESSES);
      else resolve(data);
    });
  });
  worker.terminate();
  expect(answer).toEqual({ calls: [], written: [], read: ADDRESSES.length * 3 });
});
