/** True under `npm run test:all`. */
export const isLongTier: boolean = process.env.TEST_TIER === 'all'

/**
 * Returns the repetitions of a test: `all` under `npm run test:all`, an eighth of them, at least one, under `npm test`,
 * or `ROUNDS` if set, as in the commands of the long runs in `docs/`.
 */
export const rounds = (all: number): number =>
  Number(process.env.ROUNDS ?? (isLongTier ? all : Math.ceil(all / 8)))

/**
 * Returns how fast-check runs a property: with the same values each time, so that what fails was changed; with others
 * where `ROUNDS` is set.
 * @param all runs under `npm run test:all`
 * @param seed of the values
 */
export const draws = (all: number, seed = 1): { numRuns: number; seed?: number } => ({
  numRuns: rounds(all),
  ...(process.env.ROUNDS === undefined && { seed }),
})
