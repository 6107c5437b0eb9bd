import type { ServiceConfig } from '../config.js'
import type { SpanAttributes, SpanKind, Tracing } from './span.js'
import { currentWork, runWork } from './work-context.js'

export type TracingConfig = Pick<
  ServiceConfig,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER_ARG'
>

/** Traces of one part, sent to the configured endpoint; undefined, with nothing loaded, where there is none. */
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

const faultOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)

/** Runs something under a span of its own in the present trace; where nothing is traced, it just runs. */
export const traced = async <T>(
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  run: () => Promise<T>,
): Promise<T> => {
  const work = currentWork()
  const span = work?.span?.child(name, kind, attributes)
  if (!work || !span) return run()
  try {
    const result = await runWork({ ...work, span }, run)
    span.end()
    return result
  } catch (error) {
    span.end({}, faultOf(error))
    throw error
  }
}
