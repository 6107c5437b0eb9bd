import { type Context, context, propagation } from '@opentelemetry/api'
import type { Telemetry } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import { requestIdOf, withRequestId } from '../observe/work-context.js'

/** Parses job metadata; returns nothing if it is malformed, so that the job still runs. */
const originOf = (metadata: string): { request_id?: string } => {
  try {
    return JSON.parse(metadata) ?? {}
  } catch {
    return {}
  }
}

/**
 * Propagates the context in which a job is added to its run: the request id and, if traced, the trace
 * context. Both are stored beside the job's data, so that each attempt has them.
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
