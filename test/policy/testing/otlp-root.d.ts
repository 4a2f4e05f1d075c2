/** OpenTelemetry's own classes of OTLP, generated from its proto files; the package has no types of them. */
declare module "@opentelemetry/otlp-transformer/build/src/generated/root.js" {
  interface MessageType {
    /** Undefined for a valid message, else the error. */
    verify(message: object): string | null;
    fromObject(object: object): object;
    encode(message: object): { finish(): Uint8Array };
    decode(bytes: Uint8Array): object;
    toObject(
      message: object,
      options: { readonly longs: StringConstructor; readonly bytes: StringConstructor },
    ): unknown;
  }

  const root: {
    readonly opentelemetry: {
      readonly proto: {
        readonly collector: { readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } } };
      };
    };
  };
  export default root;
}
