/** Templates of Vue, and what their components set up; `compile` of the build makes render functions of them. */
const article = (more = "") =>
  `<main><h1>{{ title }}</h1><p v-for="text in paragraphs" :key="text">{{ text }}</p>${more}</main>`;

export const SETUP = `import { onMounted, ref } from "vue";
import { PARAGRAPHS, TITLE } from "./text.js";
const base = { title: TITLE, paragraphs: PARAGRAPHS };
function useData(path, first) {
  const data = ref(first);
  onMounted(async () => { data.value = await (await fetch(path)).json(); });
  return data;
}
`;

export const SCENES = {
  plain: [article(), "() => base"],
  toggle: [
    article('<button @click="open = !open">Menu</button><p v-if="open">The menu of the galley.</p>'),
    "() => ({ ...base, open: ref(false) })",
  ],
  theme: [
    article('<button @click="flip">Theme</button>'),
    '() => ({ ...base, flip: () => { document.documentElement.classList.toggle("dark"); localStorage.setItem("theme", "dark"); } })',
  ],
  accordion: [
    article(
      '<h2><button :aria-expanded="open" aria-controls="more" @click="open = !open">How is the weather?</button></h2><div id="more" role="region" v-show="open"><p>Fog stands on the river until nine, and wind comes with the evening.</p></div>',
    ),
    "() => ({ ...base, open: ref(false) })",
  ],
  login: [
    '<main><h1>Members of the crew</h1><p>Log in to read the captain\'s diary.</p><form @submit.prevent="submit"><label>Name <input name="name"></label><label>Password <input name="password" type="password"></label><button>Log in</button><p v-if="failed">That is not right.</p></form></main>',
    '() => { const failed = ref(false); const submit = async (event) => { const response = await fetch("/api/login", { method: "POST", body: new FormData(event.target) }); failed.value = !response.ok; }; return { failed, submit }; }',
  ],
  like: [
    article(
      '<button @click="like">{{ likes }} likes</button><button @click="more">Search</button><ul><li v-for="item in found" :key="item">{{ item }}</li></ul>',
    ),
    '() => { const likes = ref(12); const found = ref([]); const like = async () => { await fetch("/api/like", { method: "POST" }); likes.value += 1; }; const more = async () => { found.value = await (await fetch("/api/search?q=" + likes.value)).json(); }; return { ...base, likes, found, like, more }; }',
  ],
  price: [
    article('<p>A ticket today: <span id="price">{{ data.price }}</span></p>'),
    '() => ({ ...base, data: useData("/api/price", { price: "--" }) })',
  ],
  rows: [
    article(
      '<table><thead><tr><th>Pier</th><th>Time</th></tr></thead><tbody><tr v-for="row in data" :key="row[0]"><td>{{ row[0] }}</td><td>{{ row[1] }}</td></tr></tbody></table>',
    ),
    '() => ({ ...base, data: useData("/api/rows", []) })',
  ],
  appended: [
    article(
      '<ul class="news"><li>The first notice of the board</li><li>The second notice of the board</li><li v-for="item in data" :key="item">{{ item }}</li></ul>',
    ),
    '() => ({ ...base, data: useData("/api/items", []) })',
  ],
  nothing: [
    article('<aside v-if="data">{{ data.note }}</aside>'),
    '() => ({ ...base, data: useData("/api/note", null) })',
  ],
  late: [
    `<div>${article().replace("<main>", '<main v-if="here">')}</div>`,
    "() => { const here = ref(false); onMounted(() => setTimeout(() => { here.value = true; }, 1500)); return { ...base, here }; }",
  ],
  slow: [
    `<div>${article("<p>{{ data.note }}</p>").replace("<main>", '<main v-if="data">')}<p v-else>Loading…</p></div>`,
    '() => ({ ...base, data: useData("/api/slow", null) })',
  ],
};
