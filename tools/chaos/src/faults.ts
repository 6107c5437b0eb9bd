import { setTimeout as sleep } from 'node:timers/promises'
import { type PartProcess, PROCESS_NAMES, type ProcessName } from '@iodine/harness'
import { connectRedis } from '@iodine/service-kit'

/**
 * - `kill` kill -9, then a start
 * - `pause` SIGSTOP, then SIGCONT
 * - `flush` FLUSHALL: Redis loses all data
 * - `reset`, `silent`, `slow` faults of all connections to and from the part
 */
export const FAULT_KINDS = ['kill', 'pause', 'flush', 'reset', 'silent', 'slow'] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

export interface Fault {
  part: ProcessName
  kind: FaultKind
  /** Duration in milliseconds; a killed part is started afterwards. */
  ms: number
}

const SHORTEST_MS = 500

/** Draws `count` faults: every kind for every part in a random order, repeated as needed. */
export const drawFaults = (count: number, random: () => number, longestMs: number): Fault[] => {
  const faults: Fault[] = []
  while (faults.length < count) {
    const deck = PROCESS_NAMES.flatMap(part =>
      FAULT_KINDS.filter(kind => kind !== 'flush' || part === 'redis').map(kind => ({ part, kind })),
    )
    while (deck.length > 0 && faults.length < count) {
      const [card] = deck.splice(Math.floor(random() * deck.length), 1)
      if (card) faults.push({ ...card, ms: Math.round(SHORTEST_MS + random() * (longestMs - SHORTEST_MS)) })
    }
  }
  return faults
}

const flush = async (redisUrl: string): Promise<void> => {
  const redis = await connectRedis(redisUrl)
  await redis.flushall()
  redis.disconnect()
}

export const inject = async ({ kind }: Fault, part: PartProcess, redisUrl: string): Promise<void> => {
  if (kind === 'flush') await flush(redisUrl)
  else if (kind === 'kill') await part.kill()
  else if (kind === 'pause') part.pause()
  else part.setLinks(kind)
}

export const heal = async ({ kind }: Fault, part: PartProcess): Promise<void> => {
  if (kind === 'kill') await part.start()
  else if (kind === 'pause') part.resume()
  else if (kind !== 'flush') part.setLinks('open')
}

/** Polls until it succeeds. Resolves to the time taken, or to undefined after `limitMs`. */
export const untilTrue = async (
  attempt: () => Promise<boolean>,
  limitMs: number,
  pauseMs = 100,
): Promise<number | undefined> => {
  const from = performance.now()
  while (performance.now() - from < limitMs) {
    if (await attempt()) return performance.now() - from
    await sleep(pauseMs)
  }
  return undefined
}
