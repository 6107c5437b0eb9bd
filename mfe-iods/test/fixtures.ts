import type { Iod } from '@iodine/contracts'
import { anIod } from '@iodine/test-kit/iods'

export { aVote as vote } from '@iodine/test-kit/iods'
export const iod = (value: string, fields: Partial<Iod> = {}): Iod => anIod({ value, ...fields })
