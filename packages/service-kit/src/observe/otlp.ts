import { createRequire } from 'node:module'
import { FastifyOtelInstrumentation } from '@fastify/otel'
import {
  type Context,
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis'
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { FastifyInstance } from 'fastify'
import { calledPeer } from './work-context.js'

/** Names of things, sizes and codes. Everything else that instrumentations note may be somebody's, and does not leave the process. */
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

/** Sends neither values nor the words of errors. */
class Exporter extends OTLPTraceExporter {
  override export(spans: ReadableSpan[], done: Parameters<OTLPTraceExporter['export']>[1]): void {
    for (const span of spans) {
      const attributes: ReadableSpan['attributes'] = {}
      for (const name in span.attributes) if (ATTRIBUTES.has(name)) attributes[name] = span.attributes[name]
      Object.assign(span, { attributes, events: [], status: { code: span.status.code } })
    }
    super.export(spans, done)
  }
}

const PART = createContextKey('iodine.part')

/**
 * The process's tracers, which instrumentations use: each span goes to the part whose work it is begun in, as one process
 * may host several. A request or a job begins a trace; what runs by the clock, or at the start, makes none.
 */
const byPart: TracerProvider = {
  getTracer(name, version) {
    const startSpan: Tracer['startSpan'] = (span, options = {}, work = context.active()) => {
      const part = work.getValue(PART) as BasicTracerProvider | undefined
      const parent = trace.getSpanContext(work)
      const begins = options.kind === SpanKind.SERVER || options.kind === SpanKind.CONSUMER
      return part && (begins || (parent && isSpanContextValid(parent)))
        ? part.getTracer(name, version).startSpan(span, options, work)
        : trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
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

/** Has the libraries of this process begin spans, once. */
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
  // These patch what is required from now on. Both packages are CommonJS: what was loaded before is the same object.
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
  /** What the part's requests and jobs run in: spans begun there are the part's. */
  root: Context
  /** Makes a span of each request that the app gets from now on; hooks that were added before run outside it. */
  watch(app: FastifyInstance): void
  /** Sends what has not been sent. */
  close(): Promise<void>
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

/** A part's traces by OTLP over HTTP. */
export const createOtlpTracing = ({ service, endpoint, headers, ratio }: OtlpOptions): Tracing => {
  const exporter = new Exporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'iodine' }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 })],
  })
  const instrumentation = instrument()
  return {
    root: ROOT_CONTEXT.setValue(PART, provider),
    watch: app => instrumentation.plugin()(app, {}, () => {}),
    // A collector that is away must not hold up the end of the process.
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise<void>(resolve => setTimeout(resolve, 2_000).unref()),
      ]),
  }
}
