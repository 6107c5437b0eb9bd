import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ServiceConfig } from '../config.js'
import type { Tracing } from './otlp.js'

export type TracingConfig = Pick<
  ServiceConfig,
  | 'OTEL_EXPORTER_OTLP_ENDPOINT'
  | 'OTEL_EXPORTER_OTLP_HEADERS'
  | 'OTEL_EXPORTER_OTLP_PROTOCOL'
  | 'OTEL_TRACES_SAMPLER_ARG'
>

/**
 * Creates the tracing of one part, exported to the configured endpoint. Returns undefined, with no SDK loaded, if none
 * is configured.
 */
export const createTracing = async (
  service: string,
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  }: TracingConfig,
): Promise<Tracing | undefined> => {
  if (!endpoint) return undefined
  const { createOtlpTracing } = await import('./otlp.js')
  return createOtlpTracing({ service, endpoint, headers, protocol, ratio })
}

/** Runs a call to an external server in its own span; without tracing it only runs the call. */
export const traced = <T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> =>
  trace.getTracer('iodine').startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, span =>
    run()
      .catch(error => {
        markFailed(error)
        throw error
      })
      .finally(() => span.end()),
  )

/** Marks the active span as failed, with the error's class. */
export const markFailed = (error: unknown): void =>
  void trace
    .getActiveSpan()
    ?.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    .setStatus({ code: SpanStatusCode.ERROR })
