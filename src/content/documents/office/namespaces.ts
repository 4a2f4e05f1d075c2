/** The prefixes by which the readers know the namespaces of Office files, whatever the files call them. */
const OPEN_XML = {
  "wordprocessingml/main": "w",
  "spreadsheetml/main": "x",
  "presentationml/main": "p",
  "drawingml/main": "a",
  "drawingml/wordprocessingDrawing": "wp",
  "drawingml/picture": "pic",
  "drawingml/diagram": "dgm",
  "drawingml/chart": "c",
  "officeDocument/relationships": "r",
  "officeDocument/math": "m",
} as const;

const OTHERS: Readonly<Record<string, string>> = {
  "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
  "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
  "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
  "urn:schemas-microsoft-com:vml": "v",
  "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc",
  "http://schemas.microsoft.com/office/powerpoint/2018/8/main": "p188",
  "http://purl.org/dc/elements/1.1/": "dc",
  "http://purl.org/dc/terms/": "dcterms",
  "http://www.w3.org/1999/xlink": "xlink",
  "http://www.idpf.org/2007/opf": "opf",
  "urn:oasis:names:tc:opendocument:xmlns:container": "container",
};

const OPEN_DOCUMENT = /^urn:oasis:names:tc:opendocument:xmlns:([a-z]+)(?:-compatible)?:1\.0$/;
const FORMATTING = "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0";

function knownPrefixes(): Map<string, string> {
  const known = new Map(Object.entries(OTHERS));
  for (const [path, prefix] of Object.entries(OPEN_XML)) {
    // Transitional and strict Office Open XML (ECMA-376-1 and ISO/IEC 29500-1).
    known.set(`http://schemas.openxmlformats.org/${path.replace("/", "/2006/")}`, prefix);
    known.set(`http://purl.oclc.org/ooxml/${path}`, prefix);
  }
  return known;
}

const KNOWN = knownPrefixes();

/** The usual prefix of a namespace. Unknown ones share a prefix that no reader looks for. */
export function canonicalPrefix(address: string): string {
  const known = KNOWN.get(address) ?? (address === FORMATTING ? "fo" : OPEN_DOCUMENT.exec(address)?.[1]);
  return known ?? "_";
}
