import { createHmac, randomBytes } from 'node:crypto'
import { signatureOf } from '@iodine/likeness'
import { inTransaction, type Kind } from '@iodine/service-kit'
import type { SightingModels } from '../../models.js'
import type { Secrets } from '../policies/signatures.js'
import type { RecordPage } from './request-records.js'

/**
 * Returns a reader of this index's secret. The secret is created once and stored beside the signatures, which are
 * useless without it. It is independent of the deployment's other keys. The transaction that creates it requests all
 * records.
 */
export const createSecrets = (
  { mongo, index }: SightingModels,
  requests: Kind<RecordPage>,
): (() => Promise<Secrets>) => {
  let known: Promise<Secrets> | undefined
  const read = async (): Promise<Secrets> => {
    const fresh = { seed: randomBytes(32).toString('base64') }
    await inTransaction(
      mongo,
      async session => {
        const options = { upsert: true, session }
        const { upsertedCount } = await index.updateOne({ _id: 'index' }, { $setOnInsert: fresh }, options)
        if (upsertedCount > 0) await requests.add({ after: null }, { session })
      },
      { retriesDuplicates: true },
    )
    const { seed } = await index.findById('index').orFail().lean()
    return {
      sign: text => signatureOf(text, { seed }),
      opaqueId: recordId =>
        createHmac('sha256', Buffer.from(seed, 'base64')).update(recordId).digest('hex').slice(0, 24),
    }
  }
  return () => {
    known ??= read().catch(error => {
      known = undefined
      throw error
    })
    return known
  }
}
