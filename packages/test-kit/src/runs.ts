/** True under `npm run test:all`. */
export const isLongTier: boolean = process.env.TEST_TIER === 'all'

/**
 * Returns the repetitions of a test: `all` under `npm run test:all`, an eighth of them, at least one, under `npm test`.
 * `ROUNDS`, if set, replaces both, as in the commands of the long runs in `docs/`.
 */
export const runs = (all: number): number =>
  Number(process.env.ROUNDS ?? (isLongTier ? all : Math.ceil(all / 8)))

/**
 * Returns the parameters of a fast-check property: the same values in each run, so that a failure comes from a change
 * of the code; random values if `ROUNDS` is set.
 * @param all runs under `npm run test:all`
 * @param seed of the values
 */
export const propertyRuns = (all: number, seed = 1): { numRuns: number; seed?: number } => ({
  numRuns: runs(all),
  ...(process.env.ROUNDS === undefined && { seed }),
})
