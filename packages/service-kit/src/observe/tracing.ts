import { type Attributes, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { ServiceConfig } from '../config.js'
import type { Tracing } from './otlp.js'

export type TracingConfig = Pick<
  ServiceConfig,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG'
>

/** Traces of one part, sent to the configured endpoint; undefined, with no SDK loaded, where there is none. */
export const createTracing = async (
  service: string,
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  }: TracingConfig,
): Promise<Tracing | undefined> => {
  if (!endpoint) return undefined
  const { createOtlpTracing } = await import('./otlp.js')
  return createOtlpTracing({ service, endpoint, headers, ratio })
}

/** Runs a call to a foreign server under a span of its own; where nothing is traced, it just runs. */
export const traced = <T>(name: string, attributes: Attributes, run: () => Promise<T>): Promise<T> =>
  trace.getTracer('iodine').startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, span =>
    run()
      .catch(error => {
        markFailed(error)
        throw error
      })
      .finally(() => span.end()),
  )

/** Marks the span of the work under way as failed, by the error's class. */
export const markFailed = (error: unknown): void =>
  void trace
    .getActiveSpan()
    ?.setAttribute('error.type', error instanceof Error ? error.name : typeof error)
    .setStatus({ code: SpanStatusCode.ERROR })
