import { type PartState, partState, SERVICE_NAMES } from '@iodine/contracts'
import { addressOf, timeoutSignal } from '@iodine/service-kit'
import { z } from 'zod'
import type { AuthConfig } from '../../config.js'

const TIMEOUT_MS = 2_000
/** `process` is absent in responses of earlier versions. */
const readiness = z.object({
  parts: z.record(z.string(), z.enum(['up', 'down'])),
  process: partState.shape.process.optional(),
})

/** Queries the readiness of a part. A part that does not answer in time is down. */
const readPart = async (name: string, url: string): Promise<PartState> => {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: timeoutSignal(TIMEOUT_MS) })
    const { parts, process = null } = readiness.parse(await answer.json())
    return { name, state: answer.ok ? 'up' : 'down', dependencies: parts, process }
  } catch {
    return { name, state: 'down', dependencies: null, process: null }
  }
}

/** Returns the states of the services and the workers whose addresses this service knows. */
export const readParts = (config: AuthConfig): Promise<PartState[]> =>
  Promise.all(
    ([...SERVICE_NAMES, 'workers'] as const).flatMap(name => {
      const url = addressOf(config, name)
      return url ? [readPart(name, url)] : []
    }),
  )
