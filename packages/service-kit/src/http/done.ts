import { DONE } from '@iodine/contracts'

/** Answer of an endpoint that returns no data. */
export const done = async (work: Promise<unknown>): Promise<typeof DONE> => {
  await work
  return DONE
}
