/**
 * How often a test repeats what it proves: `short` times within `npm test`, `ROUNDS` times where that is set, as the
 * commands of the long runs in `docs/` do.
 */
export const rounds = (short: number): number => Number(process.env.ROUNDS ?? short)
