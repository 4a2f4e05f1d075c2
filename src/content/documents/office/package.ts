import { FileError } from "../kinds/file-error.ts";
import { type About } from "../kinds/content.ts";
import { type ZipFile } from "../zip/zip-file.ts";
import { childOf, type Containers, elementsOf, readXml, textOf, type XmlElement } from "./read-xml.ts";

/** Relationships of one part. A part with more is read without the rest. @bound */
const MAX_RELATIONSHIPS = 50_000;

/** A relationship to a part of the same file, or to an address, which is never loaded. */
export interface Relationship {
  readonly type: string;
  /** The name of the part, or the address. */
  readonly target: string;
  readonly isExternal: boolean;
}

export type Relationships = ReadonlyMap<string, Relationship>;

/** The parts of an Office Open XML file and their relationships (ECMA-376-2). */
export class Package {
  readonly #zip: ZipFile;

  constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  has(part: string): boolean {
    return this.#zip.has(part);
  }

  async read(part: string, containers?: Containers): Promise<XmlElement> {
    return await readXml(this.#zip.pieces(part), containers);
  }

  /** The root of a part that the file may lack. */
  async readIf(part: string | undefined): Promise<XmlElement | undefined> {
    return part !== undefined && this.has(part) ? await this.read(part) : undefined;
  }

  /** The relationships of a part; of the file itself for an empty name. */
  async relationshipsOf(part: string): Promise<Relationships> {
    const slash = part.lastIndexOf("/") + 1;
    const folder = part.slice(0, slash);
    const root = await this.readIf(`${folder}_rels/${part.slice(slash)}.rels`);
    const found = new Map<string, Relationship>();
    for (const { attributes } of elementsOf(root, "rel:Relationship").slice(0, MAX_RELATIONSHIPS)) {
      const { Id: id, Type: type = "", Target: target = "", TargetMode: mode } = attributes;
      if (id === undefined) continue;
      const isExternal = mode === "External";
      found.set(id, {
        type: type.slice(type.lastIndexOf("/") + 1),
        target: isExternal ? target : partName(target, folder),
        isExternal,
      });
    }
    return found;
  }

  /** The main part of the file. */
  async main(fallback: string): Promise<string> {
    const found = partOf(await this.relationshipsOf(""), "officeDocument") ?? fallback;
    if (!this.has(found)) throw new FileError("its main part is missing");
    return found;
  }

  /** The title of the core properties, and what else they say. */
  async properties(): Promise<{ readonly title: string; readonly about: About }> {
    const part = partOf(await this.relationshipsOf(""), "core-properties") ?? "docProps/core.xml";
    const root = await this.readIf(part);
    const said = (name: string): string => textOf(childOf(root, name)).trim();
    return {
      title: said("dc:title"),
      about: aboutOf(said("dc:creator"), said("dcterms:modified") || said("dcterms:created"), said("dc:language")),
    };
  }
}

/** The first part with a type of relationship. */
export function partOf(relationships: Relationships, type: string): string | undefined {
  for (const one of relationships.values()) if (one.type === type && !one.isExternal) return one.target;
  return undefined;
}

/** The name of a part, which is relative to a folder. Segments that lead out of the file lead to its root. */
export function partName(target: string, folder: string): string {
  const segments: string[] = [];
  for (const segment of (target.startsWith("/") ? target : `${folder}${target}`).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

/** The properties that are not empty. */
export function aboutOf(byline: string, published: string, language: string): About {
  return {
    ...(byline === "" ? {} : { byline }),
    ...(published === "" ? {} : { published }),
    ...(language === "" ? {} : { language }),
  };
}
