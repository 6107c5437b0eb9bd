import { DONE } from '@iodine/contracts'

/** The answer of an endpoint that says no more than that its work is done. */
export const done = async (work: Promise<unknown>): Promise<typeof DONE> => {
  await work
  return DONE
}
