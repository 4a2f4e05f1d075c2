/** The files of every upstream: one free file, and files that only protected routes may deliver. */
import { type Folder } from "../../support/program.ts";
import { mkdirSync } from "node:fs";

/** Part of every protected body, and of no other. */
export const GOODS = "the-goods-7c1e";
export const FREE = "the-free-page";
/** Routes with a price or credentials, each with a page below it. */
export const GUARDED = ["/paid/x.txt", "/admin/x.txt", "/api/paid/x.txt"] as const;

/** Writes the site as files, with index pages, and returns the folder's path. */
export function writeSite(folder: Folder, name: string): string {
  for (const part of ["free", "paid", "admin", "api/paid"]) {
    mkdirSync(folder.file(`${name}/${part}`), { recursive: true });
    const text = part === "free" ? FREE : GOODS;
    folder.write(`${name}/${part}/x.txt`, text);
    folder.write(`${name}/${part}/index.html`, text);
  }
  folder.write(`${name}/index.html`, "home");
  return folder.file(name);
}

export const DJANGO = `
import sys
from django.conf import settings
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="x", DEBUG=False, APPEND_SLASH=True,
                   MIDDLEWARE=["django.middleware.common.CommonMiddleware"])
import django
django.setup()
from django.http import HttpResponse
from django.urls import path, re_path
goods = lambda request, **rest: HttpResponse("${GOODS}")
free = lambda request, **rest: HttpResponse("${FREE}")
urlpatterns = [path("paid/", goods), path("paid/<path:rest>", goods), re_path(r"^admin/", goods),
               path("api/paid/<path:rest>", goods), path("free/<path:rest>", free), path("", free)]
from django.core.servers.basehttp import run
from django.core.wsgi import get_wsgi_application
run("127.0.0.1", int(sys.argv[1]), get_wsgi_application(), threading=True)
`;

export const FLASK = `
import sys
from flask import Flask
app = Flask(__name__)
for rule in ("/paid", "/paid/", "/paid/<path:rest>", "/admin/<path:rest>", "/api/paid/<path:rest>"):
    app.add_url_rule(rule, endpoint=rule, view_func=lambda **rest: "${GOODS}")
app.add_url_rule("/free/<path:rest>", endpoint="free", view_func=lambda **rest: "${FREE}")
app.run(host="127.0.0.1", port=int(sys.argv[1]), threaded=True)
`;

/**
 * A front controller like those of frameworks: it uses PATH_INFO if it is called by its name, else the request's own
 * path.
 */
export const PHP = `<?php
$path = $_SERVER["PATH_INFO"] ?? rawurldecode(parse_url("http://h" . $_SERVER["REQUEST_URI"], PHP_URL_PATH) ?: "/");
echo preg_match("#^/+(paid|admin|api/paid)(/|$)#", $path) ? "${GOODS}" : "${FREE}";
`;

export function rackApp(root: string): string {
  return `
require "rack"
goods = lambda { |env| [200, {"Content-Type" => "text/plain"}, ["${GOODS}"]] }
run Rack::URLMap.new("/paid" => goods, "/admin" => goods, "/api/paid" => goods, "/" => Rack::Directory.new("${root}"))
`;
}
