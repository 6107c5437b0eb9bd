/** As in OpenTelemetry: who serves, who calls, who puts a job into a queue and who takes it out. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer'
/** Names of things, sizes and codes; never values, which may be somebody's. */
export type SpanAttributes = Record<string, string | number | undefined>

/** A timed piece of a trace. */
export interface Span {
  readonly traceId: string
  /** W3C `traceparent`, by which another process goes on with it. */
  readonly traceparent: string
  rename(name: string): void
  child(name: string, kind: SpanKind, attributes?: SpanAttributes): Span
  /** @param fault the error's class or status code, where it failed */
  end(attributes?: SpanAttributes, fault?: string): void
}

/** Where a part's traces begin. */
export interface Tracing {
  /** @param traceparent of whoever asked for the work, where that is one of ours */
  begin(name: string, kind: SpanKind, attributes: SpanAttributes, traceparent?: string): Span
  /** Sends what has not been sent. */
  close(): Promise<void>
}
