/** A series of a made chart: its name, and its labels and values with the format of their numbers. */
export interface MadeSeries {
  readonly name: string;
  readonly labels: readonly string[];
  readonly values: readonly number[];
  readonly format?: string;
}

/** Elements of a kept list of values. */
export function points(values: readonly (string | number)[]): string {
  return values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join("");
}

/** A chart of Office, with the labels as they are or as `labels` writes them. */
export function chartPart(title: string, series: readonly MadeSeries[], labels?: string): string {
  const written = series.map(({ name, labels: own, values, format = "General" }) => {
    const cat = labels ?? `<c:strRef><c:f>A1:A9</c:f><c:strCache>${points(own)}</c:strCache></c:strRef>`;
    return `<c:ser><c:tx><c:strRef><c:strCache>${points([name])}</c:strCache></c:strRef></c:tx><c:cat>${cat}</c:cat>
      <c:val><c:numRef><c:f>B1:B9</c:f><c:numCache><c:formatCode>${format}</c:formatCode>${points(values)}</c:numCache></c:numRef></c:val></c:ser>`;
  });
  return `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">
    <c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>${title}</a:t></a:r></a:p></c:rich></c:tx></c:title>
    <c:plotArea><c:barChart>${written.join("")}</c:barChart></c:plotArea></c:chart></c:chartSpace>`;
}
