import { afterEach, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { createStateFolder, type StateFolder } from "../testing/state-folder.ts";
import { type LearnedTemplate } from "../../store/template-store.ts";
import { LearnedTemplates } from "./learned-templates.ts";

const DAY_MS = 24 * 3_600_000;
const clock = { now: Date.UTC(2026, 10, 27) };
const open: LearnedTemplates[] = [];
const logged: string[] = [];
let state: StateFolder | undefined;

function learned(folder?: string): LearnedTemplates {
  const made = new LearnedTemplates({ folder, log: (message) => logged.push(message), now: () => clock.now });
  open.push(made);
  return made;
}

afterEach(() => {
  for (const one of open.splice(0)) one.close();
  logged.length = 0;
  state?.remove();
  state = undefined;
});

test("a template is known after equal results of two pages, and a page after one", () => {
  const templates = learned();
  expect(templates.visit("news", "/a").changes).toBeUndefined();
  templates.compared("news", "/a", false);
  expect(templates.visit("news", "/a").changes).toBe(false);
  expect(templates.visit("news", "/b").changes).toBeUndefined();
  templates.compared("news", "/b", false);
  expect(templates.visit("news", "/c").changes).toBe(false);
  expect(templates.visit("shop", "/c").changes).toBeUndefined();
});

test("the same page twice does not make its template known", () => {
  const templates = learned();
  templates.compared("news", "/a", false);
  templates.compared("news", "/a", false);
  expect(templates.visit("news", "/b").changes).toBeUndefined();
});

test("one different result counts until three in sequence are equal", () => {
  const templates = learned();
  templates.compared("news", "/a", true);
  expect(templates.visit("news", "/b").changes).toBe(true);
  templates.compared("news", "/b", false);
  templates.compared("news", "/c", false);
  expect(templates.visit("news", "/d").changes).toBe(true);
  templates.compared("news", "/d", false);
  expect(templates.visit("news", "/e").changes).toBe(false);
});

test("each hundredth visit of a template checks again", () => {
  const templates = learned();
  const checks = Array.from({ length: 300 }, (_, at) => templates.visit("news", `/${at}`).checks);
  expect(checks.filter(Boolean)).toHaveLength(3);
  expect(checks[99]).toBe(true);
});

test("what is learned outlives the process, for a week", () => {
  state = createStateFolder();
  learned(state.path).compared("news", "/a", true);
  clock.now += DAY_MS;
  expect(learned(state.path).visit("news", "/b").changes).toBe(true);
  clock.now += 7 * DAY_MS;
  expect(learned(state.path).visit("news", "/b").changes).toBeUndefined();
});

test("what is learned is forgotten if the clock is set back by more than a week", () => {
  state = createStateFolder();
  const templates = learned(state.path);
  templates.compared("news", "/a", true);
  clock.now -= 8 * DAY_MS;
  expect([templates, learned(state.path)].map((one) => one.visit("news", "/b").changes)).toEqual([
    undefined,
    undefined,
  ]);
  const file = new Database(`${state.path}/templates.db`);
  expect(file.query("SELECT count(*) AS count FROM templates").get()).toEqual({ count: 0 });
  file.close();
});

test("what other services learned counts, unless the template was compared later", () => {
  const shared: LearnedTemplate[] = [];
  const options = { folder: undefined, log: () => {}, now: () => clock.now };
  const one = new LearnedTemplates({ ...options, onCompared: (template) => shared.push(template) });
  const other = new LearnedTemplates(options);
  open.push(one, other);
  one.compared("news", "/a", true);
  other.learn(shared);
  expect(other.visit("news", "/b").changes).toBe(true);
  clock.now += 1_000;
  for (const page of ["/b", "/c", "/d"]) other.compared("news", page, false);
  other.learn(shared);
  expect(other.visit("news", "/e").changes).toBe(false);
});

test("the file is created at the first visit, and only its owner can read it", () => {
  state = createStateFolder();
  const templates = learned(state.path);
  expect(existsSync(`${state.path}/templates.db`)).toBe(false);
  templates.visit("news", "/a");
  expect(statSync(`${state.path}/templates.db`).mode & 0o777).toBe(0o600);
});

test("a broken file is not used, and the log has one line about it", () => {
  state = createStateFolder();
  writeFileSync(`${state.path}/templates.db`, "This file is not a database. ".repeat(100));
  const templates = learned(state.path);
  templates.compared("news", "/a", true);
  expect(templates.visit("news", "/b").changes).toBe(true);
  expect(logged).toEqual([expect.stringContaining("templates.db")]);
});

test("two services with one state folder keep at most the maximum of templates, the last ones", () => {
  state = createStateFolder();
  const [one, other] = [learned(state.path), learned(state.path)];
  one.visit("first", "/a");
  other.visit("first", "/a");
  for (const [at, templates] of [one, other].entries()) {
    clock.now += 1_000;
    for (let count = 0; count < 11_000; count += 1) templates.compared(`${at} ${count}`, "/a", true);
  }
  clock.now += 1_000;
  const next = learned(state.path);
  expect(next.visit("1 0", "/b").changes).toBe(true);
  const file = new Database(`${state.path}/templates.db`);
  expect(file.query("SELECT count(*) AS count FROM templates").get()).toEqual({ count: 20_000 });
  file.close();
});

test("the state has no address of a page", async () => {
  state = createStateFolder();
  const templates = learned(state.path);
  templates.compared("https://secret.test /*", "https://secret.test/plan", false);
  templates.close();
  const bytes = await Bun.file(`${state.path}/templates.db`).text();
  expect(bytes).toContain("templates");
  expect(bytes).not.toContain("secret");
});
