import { type Context, context, propagation } from '@opentelemetry/api'
import type { Telemetry } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import { requestIdOf, withRequestId } from '../observe/work-context.js'

/** Nothing, where Redis holds something else: that loses no job. */
const originOf = (metadata: string): { request_id?: string } => {
  try {
    return JSON.parse(metadata) ?? {}
  } catch {
    return {}
  }
}

/**
 * Carries the work that a job is added in to where it runs: the request's id and, where there is one, its place in the trace.
 * They stand with the job beside its data, where every try finds them.
 */
export const telemetryOf = (root: Context): Telemetry<Context> => ({
  tracer: new BullMQOtel().tracer,
  contextManager: {
    with: (work: Context, run) => context.with(work, run),
    active: () => context.active(),
    root: () => root,
    getMetadata(work: Context) {
      const origin = { request_id: requestIdOf(work) }
      propagation.inject(work, origin)
      return JSON.stringify(origin)
    },
    fromMetadata(work: Context, metadata) {
      const origin = originOf(metadata)
      const { request_id: id } = origin
      return propagation.extract(id === undefined ? work : withRequestId(work, id), origin)
    },
  },
})
