import { isFilled } from '@iodine/contracts'
import { signatureOf } from '@iodine/likeness'
import type { Models } from '../../models.js'
import type { SignText } from '../models/watch.js'

/** Creates the function that signs texts with the seed of this deployment's index. */
export const createSignText = ({ index }: Pick<Models, 'index'>): SignText => {
  let seed: string | undefined
  return async text => {
    seed ??= (await index.findById('index').orFail().lean()).seed
    return isFilled(text) ? signatureOf(text, { seed }) : undefined
  }
}
