import { type Context, context } from '@opentelemetry/api'
import type { Telemetry } from 'bullmq'
import { BullMQOtel } from 'bullmq-otel'
import { originOf, withOrigin } from '../observe/work-context.js'

/** Parses job metadata; returns nothing if it is malformed, so that the job still runs. */
const parsed = (metadata: string): Record<string, string> => {
  try {
    return JSON.parse(metadata) ?? {}
  } catch {
    return {}
  }
}

/** Propagates the context in which a job is added to its run. It is stored beside the job's data, so that each attempt has it. */
export const telemetryOf = (root: Context): Telemetry<Context> => ({
  tracer: new BullMQOtel().tracer,
  contextManager: {
    with: (work: Context, run) => context.with(work, run),
    active: () => context.active(),
    root: () => root,
    getMetadata: (work: Context) => JSON.stringify(originOf(work)),
    fromMetadata: (work: Context, metadata) => withOrigin(work, parsed(metadata)),
  },
})
