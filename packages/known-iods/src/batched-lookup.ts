import { type Iod, matchKey, matchKeys } from '@iodine/contracts'
import { lookupBatches } from './lookup-batches.js'

const WAIT_MS = 25

/**
 * Batches look-ups made within 25 ms into calls of `send` with at most 1,000 values each. A failed call rejects the
 * look-ups of its values. Values are folded. dataloader is not used: it cannot limit characters, and adds 1.2 kB
 * (brotli) to My data and to each page of the extension.
 */
export function createBatchedLookup<I extends Pick<Iod, 'value' | 'category'> = Iod>(
  send: (values: string[]) => Promise<readonly I[]>,
) {
  let waiting: Set<string> | undefined
  let sent: Promise<Map<string, Promise<readonly I[]>>>

  const flush = () => {
    const calls = new Map<string, Promise<readonly I[]>>()
    for (const batch of lookupBatches(waiting ?? [])) {
      const call = send(batch)
      for (const value of batch) calls.set(value, call)
    }
    waiting = undefined
    return calls
  }

  return async (values: readonly string[]): Promise<I[]> => {
    if (!waiting) {
      waiting = new Set()
      sent = new Promise(resolve => setTimeout(resolve, WAIT_MS)).then(flush)
    }
    for (const value of values) waiting.add(value)
    const calls = await sent
    const own = new Set(values.flatMap(matchKeys))
    const answers = await Promise.all(new Set(values.map(value => calls.get(value) ?? [])))
    return answers.flat().filter(iod => own.has(matchKey(iod)))
  }
}
