/**
 * Repetitions of a test: `short` under `npm test`, or `ROUNDS` if set, as in the commands of the long runs in
 * `docs/`.
 */
export const rounds = (short: number): number => Number(process.env.ROUNDS ?? short)
