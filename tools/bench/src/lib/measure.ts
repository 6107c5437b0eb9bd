import { markdownTable, median } from '@iodine/test-kit'

/** Runs `work` and returns its duration in milliseconds. */
export const timed = async (work: () => unknown): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Runs a task `count` times with concurrency `width`. The task gets its number, from 0. */
export const atOnce = async (
  count: number,
  width: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> => {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Returns the record with each value mapped. */
export const mapValues = <Name extends string, T, R>(
  values: Record<Name, T>,
  map: (value: T, name: Name) => R,
): Record<Name, R> =>
  Object.fromEntries((Object.keys(values) as Name[]).map(name => [name, map(values[name], name)])) as Record<
    Name,
    R
  >

/**
 * Calls the sides alternately, so that load on the machine slows all of them, and returns the result of each call. The
 * order rotates each round, since a side may still work in the background after its call.
 * @param warmUps first rounds whose results are dropped; round numbers include them
 */
export const interleave = async <Name extends string, T>(
  rounds: number,
  sides: Record<Name, (round: number) => Promise<T>>,
  warmUps = 0,
): Promise<Record<Name, T[]>> => {
  const names = Object.keys(sides) as Name[]
  const results = mapValues(sides, (): T[] => [])
  for (let round = 0; round < warmUps + rounds; round++) {
    const first = round % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const result = await sides[name](round)
      if (round >= warmUps) results[name].push(result)
    }
  }
  return results
}

/** Times the sides as `interleave` calls them. Returns each side's median in milliseconds. */
export const timeInterleaved = async <Name extends string>(
  rounds: number,
  sides: Record<Name, (round: number) => unknown>,
  warmUps?: number,
): Promise<Record<Name, number>> => {
  const timers = mapValues(sides, side => (round: number) => timed(() => side(round)))
  return mapValues(await interleave(rounds, timers, warmUps), median)
}

/** Returns the median of each field. */
export const medians = <Field extends string>(
  samples: readonly Record<Field, number>[],
): Record<Field, number> =>
  mapValues(samples[0] as Record<Field, number>, (_, field) => median(samples.map(each => each[field])))

/** Formats a number for the tables: whole from 100 on, else with two decimals. */
export const count = (value: number): string => (value >= 100 ? whole(Math.round(value)) : value.toFixed(2))

/** Formats a whole number with thousands separators. */
export const whole = (value: number): string => value.toLocaleString('en')

/** Returns the value as a multiple of `base`. */
export const ratio = (value: number, base: number): string => (value / base).toFixed(2)

/** Formats operations per second. */
export const rate = (operations: number, ms: number): string => count(operations / (ms / 1_000))

/** Prints a Markdown table, ready for `docs/`. */
export const table = (...content: Parameters<typeof markdownTable>): void =>
  console.log(markdownTable(...content).join('\n'))
