import { Glob } from "bun";

const FOLDER = "docs/decisions";

/** The areas of the records, by the first two digits of their numbers. */
const AREAS: Readonly<Record<string, string>> = {
  "01": "Processes and connections",
  "02": "HTTP",
  "03": "TLS",
  "04": "Upstreams",
  "05": "Policies and telemetry",
  "07": "Filters and tenants",
  "08": "Payments",
  "09": "Pages",
  "11": "Administration",
};

const INTRODUCTION = `# Decisions

Each record explains one design decision that the code alone cannot explain, and code cites it by number, such as "decision 0801".
A new record gets the next number of its area, and has 60 to 250 words. \`node scripts/bun.mjs scripts/generate.ts\` writes this list. A record
that no code cites any more is removed.
`;

/** docs/decisions/README.md: the titles of all records by area. Throws for a record without a title or an area. */
export async function decisionsIndex(): Promise<string> {
  const files = [...new Glob("[0-9]*.md").scanSync(FOLDER)].toSorted();
  const titles = await Promise.all(files.map(async (file) => [file, await titleOf(file)] as const));
  const areas = [...Map.groupBy(titles, ([file]) => file.slice(0, 2))].map(([number, records]) => {
    const area = AREAS[number];
    if (area === undefined)
      throw new Error(`Cannot list ${records[0]?.[0]}: scripts/decisions.ts has no area ${number}`);
    const lines = records.map(([file, title]) => `- [${file.slice(0, 4)}](${file}) ${title}`);
    return `## ${area}\n\n${lines.join("\n")}\n`;
  });
  return `${INTRODUCTION}\n${areas.join("\n")}`;
}

async function titleOf(file: string): Promise<string> {
  const text = await Bun.file(`${FOLDER}/${file}`).text();
  const title = /^# (\d{4})\. (.+)\n/.exec(text);
  if (title?.[1] !== file.slice(0, 4)) throw new Error(`Cannot list ${file}: its title does not begin with its number`);
  return title[2] ?? "";
}
