import { tracingChannel } from 'node:diagnostics_channel'
import {
  type Context,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { Span, SpanKind, Tracing } from './span.js'
import { currentWork } from './work-context.js'

const KINDS: Record<SpanKind, OtelSpanKind> = {
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
}

const wrap = (tracer: Tracer, span: OtelSpan, parent: Context): Span => {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`,
    rename: name => void span.updateName(name),
    child(name, kind, attributes = {}) {
      const context = trace.setSpan(parent, span)
      return wrap(tracer, tracer.startSpan(name, { kind: KINDS[kind], attributes }, context), context)
    },
    end(attributes = {}, fault) {
      span.setAttributes(attributes)
      if (fault !== undefined)
        span.setAttribute('error.type', fault).setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

const commandSpans = new WeakMap<object, Span>()
let watching = false

/** Spans of the Redis commands that a request or a job leads to: ioredis tells of each on a channel of the process. */
const watchRedis = (): void => {
  if (watching) return
  watching = true
  const endOf = (message: object, fault?: string) => {
    commandSpans.get(message)?.end({}, fault)
    commandSpans.delete(message)
  }
  tracingChannel<string, { command: string }>('ioredis:command').subscribe({
    start(message) {
      const { command } = message as { command: string }
      const attributes = { 'db.system.name': 'redis', 'db.operation.name': command }
      const span = currentWork()?.span?.child(`redis ${command}`, 'client', attributes)
      if (span) commandSpans.set(message as object, span)
    },
    end() {},
    asyncStart() {},
    asyncEnd: message => endOf(message as object),
    error: message => endOf(message as object, 'ReplyError'),
  })
}

export interface OtlpOptions {
  service: string
  /** Base address of the collector; spans go to its `/v1/traces`. */
  endpoint: string
  /** Headers of each export, such as the collector's key. */
  headers: Record<string, string>
  /** Share of traces that are kept, decided once where a trace begins. */
  ratio: number
}

/**
 * A part's traces by OTLP over HTTP. Every part has a provider of its own, as one process may host several; nothing is
 * patched or registered for the whole process, so that no import order matters.
 */
export const createOtlpTracing = ({ service, endpoint, headers, ratio }: OtlpOptions): Tracing => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'iodine' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  })
  const tracer = provider.getTracer(service)
  watchRedis()
  return {
    begin(name, kind, attributes, traceparent) {
      const remote = traceparent === undefined ? null : parseTraceParent(traceparent)
      const parent = remote ? trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }) : ROOT_CONTEXT
      return wrap(tracer, tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent), parent)
    },
    // A collector that is away must not hold up the end of the process.
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise<void>(resolve => setTimeout(resolve, 2_000).unref()),
      ]),
  }
}
