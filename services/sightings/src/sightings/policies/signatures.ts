import { isFilled } from '@iodine/contracts/fold'
import { type Signature, signatureOf } from '@iodine/likeness'

export type Sign = (text: string) => Signature

/** Secrets of this deployment: seed of the text signatures, and pseudonyms of record ids. */
export interface Secrets {
  /** Seed of the signatures. */
  seed: string
  /** Returns a pseudonym of a record id, which reveals neither the time of collection nor the user. */
  opaqueId(recordId: string): string
}

/** Creates the function that computes text signatures of an index. @param seed of the index */
export const createSign =
  (seed: string): Sign =>
  text =>
    signatureOf(text, { seed })

/** Returns a text's signature; empty for an empty text. */
export const signText = (sign: Sign, text: string): Omit<Signature, 'exact'> & { exact: string | null } =>
  !isFilled(text) ? { exact: null, bands: [], keys: [], sketch: [] } : sign(text)

/** Minimum likeness of near-identical texts. */
export const NEAR = 0.5
/** Minimum score among the candidates, or likeness of two posts, of a reworded text. */
export const REWORDED = 0.3
