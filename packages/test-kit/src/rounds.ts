/**
 * Repetitions of a test: `short` under `npm test`, or `ROUNDS` if set, as in the commands of the long runs in
 * `docs/`.
 */
export const rounds = (short: number): number => Number(process.env.ROUNDS ?? short)

/**
 * How fast-check draws: the same `short` draws at each `npm test`, so that what fails there is what was changed; `ROUNDS`
 * others at each long run.
 * @param seed of the short run
 */
export const draws = (short: number, seed = 1): { numRuns: number; seed?: number } => ({
  numRuns: rounds(short),
  ...(process.env.ROUNDS === undefined && { seed }),
})
