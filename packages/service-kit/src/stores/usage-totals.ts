import type { Amounts, UsageDoc, UsageModel } from './usage.js'

/** Age at which the sums are read again. */
const TOTALS_MS = 1_000

const sum = async <K extends string>(model: UsageModel): Promise<Amounts<K>> => {
  const sums: Record<string, number> = {}
  for await (const { used } of model.find({}, { used: 1 }).lean<UsageDoc[]>().cursor({ batchSize: 1_000 }))
    for (const [name, n] of Object.entries(used as object)) sums[name] = (sums[name] ?? 0) + Number(n)
  return sums as Amounts<K>
}

/** Creates a reader of the sums over all owners. It returns stale sums while it reads new ones: only the first call waits. */
export const createTotals = <K extends string>(model: UsageModel): (() => Promise<Amounts<K>>) => {
  let known: Promise<Amounts<K>> | undefined
  let reading: { begun: number; sums: Promise<Amounts<K>> } | undefined
  return () => {
    if (!reading || Date.now() - reading.begun > TOTALS_MS) {
      const sums = sum<K>(model)
      reading = { begun: Date.now(), sums }
      sums.then(
        () => {
          known = sums
        },
        () => {
          known = reading = undefined
        },
      )
    }
    return known ?? reading.sums
  }
}
