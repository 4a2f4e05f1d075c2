import { expect, test } from "bun:test";
import { hasWeakForm, weakened, withStrongForms } from "./entity-tags.ts";

test("conditions with weak tags get the strong forms as well", () => {
  const fields = 'A: W/"n"\r\nIf-None-Match: W/"a", "b", W/"c,d"\r\nif-match: W/"e"\r\n';
  expect(withStrongForms(fields)).toBe(
    'A: W/"n"\r\nIf-None-Match: W/"a", "b", W/"c,d", "a", "c,d"\r\nif-match: W/"e", "e"\r\n',
  );
});

test("requests without weak tags in conditions do not change", () => {
  for (const fields of ["", 'If-None-Match: "a"\r\nB: W/"x"\r\n', "If-Match: *\r\n", 'X-If-Match: W/"a"\r\n']) {
    expect(withStrongForms(fields)).toBe(fields);
  }
});

test("strong tags become weak, and weak ones stay", () => {
  expect(weakened('A: 1\r\nETag: "x"\r\n')).toBe('A: 1\r\nETag: W/"x"\r\n');
  expect(weakened('etag:"x"\r\nX-ETag: "y"\r\n')).toBe('etag:W/"x"\r\nX-ETag: "y"\r\n');
  expect(weakened('ETag: W/"x"\r\n')).toBe('ETag: W/"x"\r\n');
});

test("the weak form of a tag is recognised, and the strong form is not", () => {
  expect(hasWeakForm('If-None-Match: "a", W/"b"\r\n', '"b"')).toBe(true);
  expect(hasWeakForm('If-None-Match: "a", W/"b"\r\n', '"a"')).toBe(false);
});
