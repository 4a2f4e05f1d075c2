/** Extractors that one content service has learned, and its fleet knows: they belong to a client, which gives their id to any service. */
import { afterAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { hasPostgres, sharedPostgres } from "../../src/store/testing/postgres.ts";
import { Folder, Program } from "../support/program.ts";

// The services start slowly on a busy machine.
setDefaultTimeout(patient(120_000));

const test = anyTest.skipIf(!hasPostgres);
const folder = new Folder();
const WORDS = "A toll is paid once, at the gate, and the road behind it is open to the one who paid. ".repeat(4);

/** Pages of a template whose label no vocabulary has, and whose price has a class of its own. */
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url }) {
    const { searchParams } = new URL(url);
    const html = `<!doctype html><html lang="de"><title>Wohnung</title><h1>Wohnung am See</h1>
      <ul><li><i class="k">Gesamtzahl Räume:</i> <b>${searchParams.get("rooms") ?? ""}</b></li></ul>
      <div class="zz-sum">${searchParams.get("price") ?? ""}</div><div>1.000 € Kaution</div><p>${WORDS}</p></html>`;
    return new Response(html, { headers: { "content-type": "text/html" } });
  },
});

const room = (rooms: number, price: string) =>
  `http://127.0.0.1:${site.port}/?rooms=${rooms}&price=${encodeURIComponent(price)}`;

interface Service {
  readonly program: Program;
  readonly extract: (body: object) => Promise<Readonly<Record<string, unknown>>>;
}

async function start(name: string, flags: readonly string[]): Promise<Service> {
  const state = withBrowser(folder.file(name));
  const program = new Program(["content", "--port", "0", "--state-dir", state, "--allow-private", ...flags]);
  const base = (await program.sees(/listening on (http:\/\/127\.0\.0\.1:\d+)/))[1] ?? "";
  return {
    program,
    async extract(body) {
      const headers = { "content-type": "application/json" };
      const page = { engine: "static", ...body };
      const response = await fetch(`${base}/extract`, { method: "POST", headers, body: JSON.stringify(page) });
      return (await response.json()) as Record<string, unknown>; // as each response of the service
    },
  };
}

afterAll(async () => {
  await site.stop(true);
  folder.remove();
});

test("an extractor of a service that was killed is known to the other services of its database, and to no others", async () => {
  const server = await sharedPostgres();
  const jobs = ["--jobs", JSON.stringify({ postgres: { url: server.url(await server.newUser()) } })];
  const [one, other, alone] = await Promise.all([start("one", jobs), start("other", jobs), start("alone", [])]);
  const schema = { type: "object", properties: { units: { type: "integer" }, total: { type: "number" } } };
  const confirmed = [
    { units: 3, total: 950.5 },
    { units: 4, total: 1250 },
  ];
  const urls = [room(3, "950,50 €"), room(4, "1.250,00 €")];
  const learned = await one.extract({ urls, schema, learn: true, confirmed });
  const { id } = learned["extractor"] as { id: string }; // as described
  one.program.kill("SIGKILL");
  await one.program.exit();
  const page = { url: room(7, "2.100,00 €"), extractor: id };
  expect(await other.extract(page)).toMatchObject({ data: { units: 7, total: 2100 }, drift: [] });
  expect(await alone.extract(page)).toMatchObject({ status: 404 });
  await Promise.all([other.program.stop(), alone.program.stop()]);
});
