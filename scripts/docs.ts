/** `npm run docs`: builds the site of docs/ into `site/`, then checks every link and anchor in it. */
import { brokenLinks } from "./site/links.ts";

const SITE = "site";

const build = Bun.spawnSync(["node_modules/.bin/vitepress", "build", "docs"], {
  stdio: ["ignore", "inherit", "inherit"],
});
if (build.exitCode !== 0) process.exit(build.exitCode);
const broken = await brokenLinks(SITE);
for (const { page, href } of broken) console.error(`${page}: ${href} leads nowhere`);
if (broken.length > 0) process.exit(1);
console.log(`${SITE}/index.html: open it through a web server, such as a gateway with "static_root": "${SITE}"`);
