import { isFilled } from '@iodine/contracts/fold'
import type { Signature } from '@iodine/likeness'

export type Sign = (text: string) => Signature

/** Functions that depend on the secret of this deployment's index. */
export interface Secrets {
  /** Computes the signature of a text. */
  sign: Sign
  /** Returns a pseudonym of a record id, which reveals neither the time of collection nor the user. */
  opaqueId(recordId: string): string
}

/** Returns a text's signature; empty for an empty text. */
export const signText = (sign: Sign, text: string): Omit<Signature, 'exact'> & { exact: string | null } =>
  !isFilled(text) ? { exact: null, bands: [], keys: [], sketch: [] } : sign(text)

/** Minimum likeness of near-identical texts. */
export const NEAR = 0.5
/** Minimum score among the candidates, or likeness of two posts, of a reworded text. */
export const REWORDED = 0.3
