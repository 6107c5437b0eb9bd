import { markdownTable, median } from '@iodine/test-kit'

/** How long `work` takes, in milliseconds. */
export const timed = async (work: () => unknown): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/** Runs a task `count` times, `width` at once; the task gets its number, from 0. */
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

/**
 * Times the sides in turn, so that a busy machine slows all of them, and gives each side's median in milliseconds.
 * A side that must be warm first is called before, by the caller.
 */
export const inTurns = async <Name extends string>(
  rounds: number,
  sides: Record<Name, (round: number) => unknown>,
): Promise<Record<Name, number>> => {
  const names = Object.keys(sides) as Name[]
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round < rounds; round++)
    for (const name of names) times[name].push(await timed(() => sides[name](round)))
  return Object.fromEntries(names.map(name => [name, median(times[name])])) as Record<Name, number>
}

/** A number as the tables show it: whole from 100 on, else with two decimals. */
export const count = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)

/** Prints a Markdown table, ready for `docs/`. */
export const table = (...content: Parameters<typeof markdownTable>): void =>
  console.log(markdownTable(...content).join('\n'))
