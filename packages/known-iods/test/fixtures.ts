import type { Category, Iod } from '@iodine/contracts'
import { anIod } from '@iodine/test-kit/iods'

export const iod = (value: string, category: Category = 'SENTENCE'): Iod => anIod({ value, category })
