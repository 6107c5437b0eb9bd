import { randomBytes } from 'node:crypto'
import { type Iod, iodsApi, type NewIod } from '@iodine/contracts'
import type { ApiClient } from '@iodine/test-kit'
import type { Page } from '@playwright/test'

/** Returns a word that is in no other record or IOD. */
export const newMark = () => `m${randomBytes(6).toString('hex')}`

export const createIod = (
  { api }: { api: ApiClient },
  fields: Partial<NewIod> & { value: string },
): Promise<Iod> =>
  api.call(iodsApi.createIod, {
    body: { category: 'SENTENCE', description: 'Seen often', source_type: 'MANUAL', ...fields },
  })

/** Locates the row of an IOD in the list. */
export const rowOf = (page: Page, value: string) => page.getByRole('row').filter({ hasText: value })
