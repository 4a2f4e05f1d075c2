import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { addPostDetails } from "./posts.ts";

const TEXT = "The night train leaves at half past ten.";
const NAMES = ["Oda", "Bram", "Tine"];

/** A thread of a post by each of the names. */
function thread(post: (name: string, at: number) => string): string {
  return `<h1>When?</h1><div>${NAMES.map(post).join("")}</div>`;
}

const profile = (name: string): string => `<a class="username" href="/users/${name}">${name} (out)</a>`;

describe("the author and the date of a post", () => {
  test("are found beside classes that name what is missing", () => {
    const html = thread(
      (name, at) =>
        `<div class="post has-profile"><dl class="postprofile"><dt class="no-profile-rank has-avatar">${profile(name)}</dt>` +
        `<dd class="profile-joined">Joined: Feb 201${at} (out)</dd></dl><div class="content">${TEXT}</div></div>`,
    );
    expect(textsLeft(html, addPostDetails)).toEqual(["When?", "Oda", TEXT, "Bram", TEXT, "Tine", TEXT]);
  });

  test("are those of the author and not of the last editor", () => {
    const html = thread(
      (name, at) =>
        `<div class="answer"><p>${TEXT} ${TEXT}</p><div class="post-signature"><div class="action-time">edited Mar ${at + 1}, 2025 (out)</div>` +
        `<div class="user-details"><a href="/users/9/eve">eve (out)</a></div></div><div class="post-signature">` +
        `<div class="action-time">answered Nov ${at + 1}, 2018 (out)</div><div class="user-details">${profile(name)}</div></div></div>`,
    );
    const texts = textsLeft(html, addPostDetails);
    for (const part of ["answered Nov 1, 2018", "Oda", "Bram", "answered Nov 3, 2018"]) expect(texts).toContain(part);
    expect(texts.join(" ")).not.toMatch(/eve|edited/);
  });

  test("are found for each post in a list with the name of a post", () => {
    const posts = NAMES.map((name) => `<article class="message"><h4>${profile(name)}</h4><p>${TEXT}</p></article>`);
    const html = `<h1>When?</h1><div><div class="block"><div class="js-replyContainer">${posts.join("")}</div></div><div class="block">More</div></div>`;
    expect(textsLeft(html, addPostDetails)).toEqual(["When?", ...NAMES.flatMap((name) => [name, TEXT]), "More"]);
  });

  test("are found in the first post, which has no sibling like it", () => {
    const question = `<div class="question"><p>${TEXT}</p>${profile("Ann")}</div>`;
    expect(textsLeft(`<h1>When?</h1>${question}${thread(() => "<p>Soon.</p>")}`, addPostDetails)).toContain("Ann");
  });
});

test("a long signature below a post is dropped", () => {
  const signature = `<div class="entry__signature"><p>Ask me about timetables. ${TEXT.repeat(3)}</p></div>`;
  const html = thread((name) => `<div class="post">${profile(name)}<p>${TEXT}</p>${signature}</div>`);
  expect(textsLeft(html, addPostDetails)).toEqual(["When?", "Oda", TEXT, "Bram", TEXT, "Tine", TEXT]);
});
