import { isFilled } from '@iodine/contracts/fold'
import { type Signature, signatureOf } from '@iodine/likeness'

export type Sign = (text: string) => Signature

/** Names that others see in the place of ids, and signatures of texts, of this deployment. */
export interface Secrets {
  /** Seed of the signatures. */
  seed: string
  /** An id in the place of a record's, which tells nothing about when and by whom it was collected. */
  opaqueId(recordId: string): string
}

/** Signs texts for an index. @param seed of the index */
export const createSign =
  (seed: string): Sign =>
  text =>
    signatureOf(text, { seed })

/** What a text is found by; nothing for an empty one. */
export const signed = (sign: Sign, text: string): Omit<Signature, 'exact'> & { exact: string | null } =>
  !isFilled(text) ? { exact: null, bands: [], keys: [], sketch: [] } : sign(text)

/** Likeness from which a text is nearly the same. */
export const NEAR = 0.5
/** Score among the candidates, or likeness of two posts, from which a text says the same in other words. */
export const REWORDED = 0.3
