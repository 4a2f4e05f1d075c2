/** `bun generated-site.ts COUNT`: serves a site whose pages link to 20 others each, and prints its address. */
const count = Number(process.argv[2]);
const WORDS =
  "high water comes twice a day at the harbour about fifty minutes later each day than the day before".split(" ");

function page(at: number): string {
  const paragraphs = Array.from({ length: 8 }, (_, n) => {
    const words = Array.from(
      { length: 60 },
      (_word, k) => WORDS[(at * 7 + n * 13 + k * (1 + (at % 5))) % WORDS.length],
    );
    return `<p>Part ${n} of page ${at}: ${words.join(" ")}.</p>`;
  });
  const links = Array.from({ length: 20 }, (_, n) => (n < 10 ? at * 10 + n + 1 : (at * 31 + n * 977) % count)).filter(
    (to) => to < count,
  );
  return `<!doctype html><html lang="en"><head><title>Page ${at}</title></head><body>
<nav><a href="/">Home</a> <a href="/pages/1">First</a></nav>
<article><h1>Page ${at}</h1>${paragraphs.join("\n")}</article>
<ul>${links.map((to) => `<li><a href="/pages/${to}">Page ${to}</a></li>`).join("")}</ul></body></html>`;
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname } = new URL(request.url);
    const at = pathname === "/" ? 0 : Number(/^\/pages\/(\d+)$/.exec(pathname)?.[1] ?? -1);
    if (at < 0 || at >= count) return new Response("", { status: 404 });
    return new Response(page(at), { headers: { "content-type": "text/html" } });
  },
});
console.log(`http://127.0.0.1:${server.port}/`);
