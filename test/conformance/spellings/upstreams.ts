/** Servers that read paths in different ways, from Debian packages, started on loopback ports. */
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { freePort } from "../../../src/lib/testing/listen.ts";
import { type Folder, Program, until } from "../../support/program.ts";
import { DJANGO, FLASK, PHP, rackApp, writeSite } from "./site.ts";

/** The folder of a server's files, and the ports of the servers that were started before. */
interface Place {
  readonly folder: Folder;
  readonly port: number;
  /** The site as files. */
  readonly root: string;
  readonly ports: ReadonlyMap<string, number>;
}

interface Kind {
  readonly name: string;
  /** True if this machine has the server. */
  readonly installed: () => boolean;
  /** Another server to which it forwards requests. */
  readonly behind?: string;
  /** The command line; the files are written before. */
  readonly prepare: (permit: Place) => readonly string[];
  readonly environment?: (permit: Place) => Readonly<Record<string, string>>;
}

const NGINX = "/usr/sbin/nginx";
const APACHE = "/usr/sbin/apache2";
const LIGHTTPD = "/usr/sbin/lighttpd";
const VARNISH = "/usr/sbin/varnishd";
const PHP_CGI = "/usr/bin/php-cgi";
const TOMCAT = "/usr/share/tomcat10";
/** Debian's Python: others on the path do not have its packages. */
const PYTHON = "/usr/bin/python3";

function installed(...paths: readonly string[]): () => boolean {
  return () => paths.every((path) => existsSync(path));
}

function hasModule(name: string): () => boolean {
  return installed(PYTHON, `/usr/lib/python3/dist-packages/${name}`);
}

function nginx({ folder, port }: Place, location: string): readonly string[] {
  const name = `nginx-${port}`;
  mkdirSync(folder.file(name));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (part) => `${part}_temp_path ${folder.file(name)}/${part};`,
  );
  const file = folder.write(
    `${name}.conf`,
    `daemon off; master_process off; error_log stderr crit; pid ${folder.file(name)}/pid;
    events {}
    http { access_log off; ${temp.join(" ")} server { listen 127.0.0.1:${port}; ${location} } }`,
  );
  return [NGINX, "-p", folder.path, "-c", file];
}

function apache({ folder, port, root, ports }: Place, isProxy: boolean): readonly string[] {
  const modules = ["mpm_event", "authz_core", "dir", "mime", "negotiation", "autoindex", "alias"];
  if (isProxy) modules.push("proxy", "proxy_http");
  const loaded = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
  const pass = `ProxyPass / http://127.0.0.1:${ports.get("tomcat10") ?? 0}/`;
  const file = folder.write(
    `apache-${port}.conf`,
    `${loaded.join("\n")}
    ServerRoot ${folder.path}
    ServerName localhost
    Listen 127.0.0.1:${port}
    PidFile ${folder.file(`apache-${port}.pid`)}
    DefaultRuntimeDir ${folder.path}
    ErrorLog ${folder.file(`apache-${port}.log`)}
    User www-data
    Group www-data
    LogLevel crit
    TypesConfig /etc/mime.types
    DocumentRoot ${root}
    <Directory ${root}>
      Options Indexes FollowSymLinks MultiViews
      Require all granted
    </Directory>
    ${isProxy ? pass : ""}`,
  );
  return [APACHE, "-D", "FOREGROUND", "-f", file];
}

function lighttpd({ folder, port, root }: Place, more: string): readonly string[] {
  const file = folder.write(
    `lighttpd-${port}.conf`,
    `server.modules = ("mod_indexfile", "mod_dirlisting", "mod_rewrite", "mod_cgi", "mod_staticfile")
    server.document-root = "${root}"
    server.bind = "127.0.0.1"
    server.port = ${port}
    index-file.names = ("index.html", "index.php")
    ${more}`,
  );
  return [LIGHTTPD, "-D", "-f", file];
}

function tomcat({ folder, port }: Place): readonly string[] {
  const base = "tomcat";
  for (const part of ["conf", "logs", "temp", "work", "webapps"])
    mkdirSync(folder.file(`${base}/${part}`), { recursive: true });
  writeSite(folder, `${base}/webapps/ROOT`);
  folder.write(
    `${base}/conf/server.xml`,
    `<Server port="-1"><Service name="Catalina"><Connector port="${port}" address="127.0.0.1" maxThreads="8"/>
    <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps" autoDeploy="false"/></Engine>
    </Service></Server>`,
  );
  folder.write(`${base}/conf/web.xml`, webXml());
  return [`${TOMCAT}/bin/catalina.sh`, "run"];
}

/** The default servlet of /etc/tomcat10/web.xml, without its thousand media types, which are not needed. */
function webXml(): string {
  return `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
    <servlet><servlet-name>default</servlet-name><servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
    <init-param><param-name>listings</param-name><param-value>false</param-value></init-param></servlet>
    <servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
    <welcome-file-list><welcome-file>index.html</welcome-file></welcome-file-list></web-app>`;
}

/** In the order of their start. */
const KINDS: readonly Kind[] = [
  {
    name: "tomcat10",
    installed: installed(`${TOMCAT}/bin/catalina.sh`),
    prepare: tomcat,
    environment: ({ folder }) => ({
      CATALINA_HOME: TOMCAT,
      CATALINA_BASE: folder.file("tomcat"),
      JAVA_OPTS: "-Xmx96m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }),
  },
  {
    name: "nginx",
    installed: installed(NGINX),
    prepare: (permit) => nginx(permit, `location / { root ${permit.root}; index index.html; autoindex on; }`),
  },
  {
    name: "nginx before tomcat10",
    installed: installed(NGINX),
    behind: "tomcat10",
    // With a path after the port, nginx decodes the path and encodes it again.
    prepare: (permit) =>
      nginx(permit, `location / { proxy_pass http://127.0.0.1:${permit.ports.get("tomcat10") ?? 0}/; }`),
  },
  { name: "apache2", installed: installed(APACHE), prepare: (permit) => apache(permit, false) },
  {
    name: "apache2 before tomcat10",
    installed: installed(APACHE),
    behind: "tomcat10",
    prepare: (permit) => apache(permit, true),
  },
  { name: "lighttpd", installed: installed(LIGHTTPD), prepare: (permit) => lighttpd(permit, "") },
  {
    name: "php-cgi",
    installed: installed(LIGHTTPD, PHP_CGI),
    prepare(permit) {
      const root = permit.folder.file("php");
      mkdirSync(root);
      permit.folder.write("php/index.php", PHP);
      const more = `cgi.assign = (".php" => "${PHP_CGI}")
      url.rewrite-if-not-file = ("^/(.*)$" => "/index.php")`;
      return lighttpd({ ...permit, root }, more);
    },
  },
  {
    name: "django",
    installed: hasModule("django"),
    prepare: ({ folder, port }) => [PYTHON, folder.write("django_site.py", DJANGO), String(port)],
  },
  {
    name: "flask",
    installed: hasModule("flask"),
    prepare: ({ folder, port }) => [PYTHON, folder.write("flask_site.py", FLASK), String(port)],
  },
  {
    name: "ruby-rack",
    installed: installed("/usr/bin/rackup"),
    prepare: ({ folder, port, root }) => {
      const file = folder.write("config.ru", rackApp(root));
      return ["/usr/bin/rackup", "-q", "-s", "webrick", "-E", "none", "-o", "127.0.0.1", "-p", String(port), file];
    },
  },
  {
    name: "varnish before nginx",
    installed: installed(VARNISH),
    behind: "nginx",
    prepare({ folder, port, ports }) {
      const backend = `backend default { .host = "127.0.0.1"; .port = "${ports.get("nginx") ?? 0}"; }`;
      const file = folder.write("site.vcl", `vcl 4.1;\n${backend}\n`);
      const cache = ["-s", "malloc,16M", "-T", "none", "-n", folder.file("varnish")];
      return [VARNISH, "-F", "-a", `127.0.0.1:${port}`, "-f", file, ...cache];
    },
  },
];

export interface StartedUpstream {
  readonly name: string;
  readonly port: number;
}

/**
 * Starts the servers of `names` that this machine has; without `names`, all of them. `missing` lists those that it does
 * not have.
 */
export async function startUpstreams(
  folder: Folder,
  names: readonly string[] = KINDS.map(({ name }) => name),
): Promise<{ started: StartedUpstream[]; missing: string[]; stop: () => Promise<void> }> {
  const root = writeSite(folder, "site");
  // Some of them drop root, and read the files as another user.
  chmodSync(folder.path, 0o755);
  const programs: Program[] = [];
  const ports = new Map<string, number>();
  const missing: string[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(programs.map((program) => program.stop()));
  };
  try {
    for (const kind of KINDS.filter(({ name }) => names.includes(name))) {
      if (!kind.installed() || (kind.behind !== undefined && !ports.has(kind.behind))) {
        missing.push(kind.name);
        continue;
      }
      const place = { folder, port: await freePort(), root, ports };
      const command = kind.prepare(place);
      programs.push(new Program([], { command, env: kind.environment?.(place) ?? {} }));
      ports.set(kind.name, place.port);
    }
    await Promise.all([...ports].map(([name, port]) => until(`${name} answers`, () => responses(port))));
  } catch (error) {
    await stop();
    const output = programs.map((program) => program.output).join("\n");
    throw new Error(`Cannot start the servers: ${output}`, { cause: error });
  }
  return { started: [...ports].map(([name, port]) => ({ name, port })), missing, stop };
}

async function responses(port: number): Promise<true | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/free/x.txt`, { signal: AbortSignal.timeout(2000) });
    return response.ok ? true : undefined;
  } catch {
    return undefined;
  }
}
