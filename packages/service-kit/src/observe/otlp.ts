import { createRequire } from 'node:module'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis'
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance } from 'fastify'
import { calledPeer } from './work-context.js'

/**
 * Allow-list of span attributes: names, sizes and codes. All others may be personal data and are not
 * exported.
 */
const ATTRIBUTES = new Set([
  'bullmq.job.attempts.made',
  'bullmq.queue.name',
  'db.collection.name',
  'db.namespace',
  'db.operation.name',
  'db.system.name',
  'error.type',
  'gen_ai.request.model',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'job.outcome',
  'peer.service',
  'request.id',
  'server.address',
  'server.port',
])

/** Returns the attributes on the allow-list. */
const redact = (given: Attributes): Attributes => {
  const attributes: Attributes = {}
  for (const name in given) if (ATTRIBUTES.has(name)) attributes[name] = given[name]
  return attributes
}

/** Removes attributes outside the allow-list, events and error messages before the export. */
const redacting = (exporter: SpanExporter): SpanExporter => ({
  export(spans, done) {
    for (const span of spans)
      Object.assign(span, {
        attributes: redact(span.attributes),
        events: [],
        status: { code: span.status.code },
      })
    exporter.export(spans, done)
  },
  shutdown: () => exporter.shutdown(),
})

const PART = createContextKey('iodine.part')

/**
 * Tracer provider of the process: routes each span to the part whose context is active, as one process may
 * host several parts. Requests and jobs start traces; timers and start-up do not.
 */
const byPart: TracerProvider = {
  getTracer(name, version) {
    const tracers = new WeakMap<BasicTracerProvider, Tracer>()
    const tracerOf = (part: BasicTracerProvider): Tracer => {
      const tracer = tracers.get(part) ?? part.getTracer(name, version)
      tracers.set(part, tracer)
      return tracer
    }
    const startSpan: Tracer['startSpan'] = (span, options = {}, work = context.active()) => {
      const part = work.getValue(PART) as BasicTracerProvider | undefined
      const parent = trace.getSpanContext(work)
      const begins = options.kind === SpanKind.SERVER || options.kind === SpanKind.CONSUMER
      if (!part || !(begins || (parent && isSpanContextValid(parent))))
        return trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
      // Of an unsampled trace only the context is propagated, without the SDK's work.
      if (parent && isSpanContextValid(parent) && !(parent.traceFlags & TraceFlags.SAMPLED))
        return trace.wrapSpanContext(parent)
      // Instrumentations set three times as many attributes as are exported: the span need not store them.
      if (options.attributes) options.attributes = redact(options.attributes)
      return tracerOf(part).startSpan(span, options, work)
    }
    return {
      startSpan,
      startActiveSpan: (span: string, ...rest: unknown[]) => {
        const run = rest.pop() as (span: unknown) => unknown
        const [options, work = context.active()] = rest as [object, Context?]
        const begun = startSpan(span, options, work)
        return context.with(trace.setSpan(work, begun), run, undefined, begun)
      },
    } as Tracer
  },
}

let fastify: FastifyOtelInstrumentation | undefined

/** Installs the instrumentations, once per process. */
const instrument = (): FastifyOtelInstrumentation => {
  if (fastify) return fastify
  trace.setGlobalTracerProvider(byPart)
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  new UndiciInstrumentation({
    ignoreRequestHook: () => calledPeer() === undefined,
    startSpanHook: () => ({ 'peer.service': calledPeer() as string }),
    requestHook: (span, { method }) => void span.updateName(`${method} ${calledPeer()}`),
  })
  new IORedisInstrumentation({ dbStatementSerializer: () => '' })
  new MongoDBInstrumentation({ dbStatementSerializer: () => '' })
  // These patch modules on `require`. Both packages are CommonJS, so modules loaded earlier are the same
  // objects.
  const require = createRequire(import.meta.url)
  require('ioredis')
  createRequire(require.resolve('mongoose'))('mongodb/lib/cmap/connection.js')
  fastify = new FastifyOtelInstrumentation({
    instrumentHooks: false,
    instrumentHandler: false,
    recordExceptions: false,
    requestHook: (span, { id, method, routeOptions }) => {
      span.updateName(`${method} ${routeOptions.url ?? ''}`.trim()).setAttribute('request.id', id)
    },
  })
  return fastify
}

/** Traces of one part. */
export interface Tracing {
  /** Root context of the part's requests and jobs: spans started in it belong to the part. */
  root: Context
  /** Creates a span for each later request of the app; hooks added earlier run outside it. */
  watch(app: FastifyInstance): void
  /** Flushes pending spans. */
  close(): Promise<void>
}

export interface OtlpOptions {
  service: string
  /** Base address of the collector; spans are sent to its `/v1/traces`. */
  endpoint: string
  /** Headers of each export, such as the collector's key. */
  headers: Record<string, string>
  /** Encoding of the spans. */
  protocol: 'http/protobuf' | 'http/json'
  /** Sampling ratio, decided once at the start of a trace. */
  ratio: number
}

/** Exports a part's traces by OTLP over HTTP. */
export const createOtlpTracing = ({ service, endpoint, headers, protocol, ratio }: OtlpOptions): Tracing => {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter
  const exporter = redacting(new Exporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers }))
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'iodine' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  })
  const instrumentation = instrument()
  return {
    root: ROOT_CONTEXT.setValue(PART, provider),
    watch: app => instrumentation.plugin()(app, {}, () => {}),
    // An unreachable collector must not delay the process's exit.
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise<void>(resolve => setTimeout(resolve, 2_000).unref()),
      ]),
  }
}
