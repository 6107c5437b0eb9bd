import { isFilled } from '@iodine/contracts'
import { type Signature, signatureOf } from '@iodine/likeness'
import type { Models } from '../../models.js'

/** Returns the signature of a text; undefined for an empty text. */
export type SignText = (text: string) => Promise<Signature | undefined>

/** Creates the function that signs texts with the seed of this deployment's index. */
export const createSignText = ({ index }: Pick<Models, 'index'>): SignText => {
  let seed: string | undefined
  return async text => {
    seed ??= (await index.findById('index').orFail().lean()).seed
    return isFilled(text) ? signatureOf(text, { seed }) : undefined
  }
}
