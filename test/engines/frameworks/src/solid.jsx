import { createSignal, For, onMount, Show } from "solid-js";
import { PARAGRAPHS, TITLE } from "./text.js";

function Article(props) {
  return (
    <main>
      <h1>{TITLE}</h1>
      <For each={PARAGRAPHS}>{(text) => <p>{text}</p>}</For>
      {props.children}
    </main>
  );
}

function createData(path, first) {
  const [data, setData] = createSignal(first);
  onMount(async () => {
    setData(await (await fetch(path)).json());
  });
  return data;
}

export function plain() {
  return <Article />;
}

export function toggle() {
  const [open, setOpen] = createSignal(false);
  return (
    <Article>
      <button onClick={() => setOpen(!open())}>Menu</button>
      <Show when={open()}>
        <p>The menu of the galley.</p>
      </Show>
    </Article>
  );
}

export function accordion() {
  const [open, setOpen] = createSignal(false);
  return (
    <Article>
      <h2>
        <button aria-controls="more" onClick={() => setOpen(!open())}>
          How is the weather?
        </button>
      </h2>
      <div id="more" role="region" hidden={!open()}>
        <p>Fog stands on the river until nine, and wind comes with the evening.</p>
      </div>
    </Article>
  );
}

export function login() {
  const [failed, setFailed] = createSignal(false);
  const submit = async (event) => {
    event.preventDefault();
    const response = await fetch("/api/login", { method: "POST", body: new FormData(event.target) });
    setFailed(!response.ok);
  };
  return (
    <main>
      <h1>Members of the crew</h1>
      <p>Log in to read the captain's diary.</p>
      <form onSubmit={submit}>
        <input name="name" />
        <input name="password" type="password" />
        <button>Log in</button>
        <Show when={failed()}>
          <p>That is not right.</p>
        </Show>
      </form>
    </main>
  );
}

export function price() {
  const data = createData("/api/price", { price: "--" });
  return (
    <Article>
      <p>
        A ticket today: <span id="price">{data().price}</span>
      </p>
    </Article>
  );
}

export function rows() {
  const data = createData("/api/rows", []);
  return (
    <Article>
      <table>
        <thead>
          <tr>
            <th>Pier</th>
            <th>Time</th>
          </tr>
        </thead>
        <tbody>
          <For each={data()}>
            {([pier, time]) => (
              <tr>
                <td>{pier}</td>
                <td>{time}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </Article>
  );
}

export function appended() {
  const data = createData("/api/items", []);
  return (
    <Article>
      <ul class="news">
        <li>The first notice of the board</li>
        <li>The second notice of the board</li>
        <For each={data()}>{(item) => <li>{item}</li>}</For>
      </ul>
    </Article>
  );
}

export function nothing() {
  const data = createData("/api/note", null);
  return (
    <Article>
      <Show when={data()}>
        <aside>{data().note}</aside>
      </Show>
    </Article>
  );
}

export function late() {
  const [here, setHere] = createSignal(false);
  onMount(() => setTimeout(() => setHere(true), 1500));
  return (
    <Show when={here()}>
      <Article />
    </Show>
  );
}

export function slow() {
  const data = createData("/api/slow", null);
  return (
    <Show when={data()} fallback={<p>Loading…</p>}>
      <Article>
        <p>{data().note}</p>
      </Article>
    </Show>
  );
}
