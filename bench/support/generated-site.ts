/**
 * `bun generated-site.ts COUNT [LATENCY_MS]`: serves sites whose pages link to 20 others each, on every loopback address, and
 * prints the port. Each site has COUNT pages.
 */
const [count = 0, latencyMs = 0] = process.argv.slice(2).map(Number);
const SYLLABLES = ["ha", "ri", "ton", "mel", "ves", "ka", "lu", "pren", "do", "si", "gar", "not"];
const WORDS = 20;

/** A word of a vocabulary of 1,728. */
function word(seed: number): string {
  const at = (Math.imul(seed, 2_654_435_761) >>> 8) % SYLLABLES.length ** 3;
  return [at, Math.floor(at / 12), Math.floor(at / 144)].map((n) => SYLLABLES[n % 12]).join("");
}

function sentence(from: number): string {
  return `${Array.from({ length: WORDS }, (_, n) => word(from + n)).join(" ")}.`;
}

function page(host: string, at: number): string {
  const own = at * 7919 + Number(host.replaceAll(/\D/g, "")) * 104_729;
  const paragraphs = Array.from(
    { length: 8 },
    (_, n) => `<p>${[0, 1, 2].map((k) => sentence(own + n * 64 + k * WORDS)).join(" ")}</p>`,
  );
  const links = Array.from({ length: 20 }, (_, n) => (n < 10 ? at * 10 + n + 1 : (at * 31 + n * 977) % count)).filter(
    (to) => to < count,
  );
  return `<!doctype html><html lang="en"><head><title>Page ${at}</title></head><body>
<nav><a href="/">Home</a> <a href="/pages/1">First</a></nav>
<article><h1>Page ${at}</h1>${paragraphs.join("\n")}</article>
<ul>${links.map((to) => `<li><a href="/pages/${to}">Page ${to}</a></li>`).join("")}</ul></body></html>`;
}

const server = Bun.serve({
  hostname: "0.0.0.0",
  port: 0,
  async fetch(request) {
    const { hostname, pathname } = new URL(request.url);
    const at = pathname === "/" ? 0 : Number(/^\/pages\/(\d+)$/.exec(pathname)?.[1] ?? -1);
    if (at < 0 || at >= count) return new Response("", { status: 404 });
    if (latencyMs > 0) await Bun.sleep(latencyMs);
    return new Response(page(hostname, at), { headers: { "content-type": "text/html" } });
  },
});
console.log(String(server.port));
