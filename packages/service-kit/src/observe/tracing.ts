import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance } from 'fastify'
import type { ServiceConfig } from '../config.js'

/** Traces of one part. */
export interface Tracing {
  /** What the part's requests and jobs run in: spans begun there are the part's. */
  root: Context
  /** Makes a span of each request that the app gets from now on; hooks that were added before run outside it. */
  watch(app: FastifyInstance): void
  /** Sends what has not been sent. */
  close(): Promise<void>
}

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

const PEER = createContextKey('iodine.peer')

/** The part that is being called, by `calling`. */
export const calledPeer = (): string | undefined => context.active().getValue(PEER) as string | undefined

/** Runs a call to another part: that goes on with the trace. What others are asked, such as the AI provider, tells them nothing. */
export const calling = <T>(peer: string, run: () => T): T => {
  const work = context.active()
  return trace.getSpan(work) ? context.with(work.setValue(PEER, peer), run) : run()
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
