/** Components of Svelte: what is in their script, and their markup. */
const article = (more = "") => `<main><h1>{TITLE}</h1>{#each PARAGRAPHS as text}<p>{text}</p>{/each}${more}</main>`;

const data = (path, first) =>
  `let data = $state(${first}); onMount(async () => { data = await (await fetch(${JSON.stringify(path)})).json(); });`;

const SCENES = {
  plain: ["", article()],
  toggle: [
    "let open = $state(false);",
    article("<button onclick={() => (open = !open)}>Menu</button>{#if open}<p>The menu of the galley.</p>{/if}"),
  ],
  theme: [
    'function flip() { document.documentElement.classList.toggle("dark"); localStorage.setItem("theme", "dark"); }',
    article("<button onclick={flip}>Theme</button>"),
  ],
  accordion: [
    "let open = $state(false);",
    article(
      '<h2><button aria-expanded={open} aria-controls="more" onclick={() => (open = !open)}>How is the weather?</button></h2><div id="more" role="region" hidden={!open}><p>Fog stands on the river until nine, and wind comes with the evening.</p></div>',
    ),
  ],
  login: [
    'let failed = $state(false); async function submit(event) { event.preventDefault(); const response = await fetch("/api/login", { method: "POST", body: new FormData(event.target) }); failed = !response.ok; }',
    '<main><h1>Members of the crew</h1><p>Log in to read the captain\'s diary.</p><form onsubmit={submit}><label>Name <input name="name" /></label><label>Password <input name="password" type="password" /></label><button>Log in</button>{#if failed}<p>That is not right.</p>{/if}</form></main>',
  ],
  like: [
    'let likes = $state(12); let found = $state([]); async function like() { await fetch("/api/like", { method: "POST" }); likes += 1; } async function more() { found = await (await fetch("/api/search?q=" + likes)).json(); }',
    article(
      "<button onclick={like}>{likes} likes</button><button onclick={more}>Search</button><ul>{#each found as item}<li>{item}</li>{/each}</ul>",
    ),
  ],
  price: [
    data("/api/price", '{ price: "--" }'),
    article('<p>A ticket today: <span id="price">{data.price}</span></p>'),
  ],
  rows: [
    data("/api/rows", "[]"),
    article(
      "<table><thead><tr><th>Pier</th><th>Time</th></tr></thead><tbody>{#each data as row}<tr><td>{row[0]}</td><td>{row[1]}</td></tr>{/each}</tbody></table>",
    ),
  ],
  appended: [
    data("/api/items", "[]"),
    article(
      '<ul class="news"><li>The first notice of the board</li><li>The second notice of the board</li>{#each data as item}<li>{item}</li>{/each}</ul>',
    ),
  ],
  nothing: [data("/api/note", "null"), article("{#if data}<aside>{data.note}</aside>{/if}")],
  late: [
    "let here = $state(false); onMount(() => { setTimeout(() => { here = true; }, 1500); });",
    `{#if here}${article()}{/if}`,
  ],
  slow: [data("/api/slow", "null"), `{#if data}${article("<p>{data.note}</p>")}{:else}<p>Loading…</p>{/if}`],
};

/** The source of each component. */
export const COMPONENTS = Object.fromEntries(
  Object.entries(SCENES).map(([name, [script, markup]]) => [
    name,
    `<script>import { onMount } from "svelte"; import { PARAGRAPHS, TITLE } from "./text.js"; ${script}</script>\n${markup}`,
  ]),
);
