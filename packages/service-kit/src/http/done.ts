import { DONE } from '@iodine/contracts'

/** Awaits `work` and returns the answer of an endpoint without data. */
export const done = async (work: Promise<unknown>): Promise<typeof DONE> => {
  await work
  return DONE
}
