import { randomBytes, randomInt } from 'node:crypto'

/** Returns 256 random bits in base64url. Only a hash is stored; the secret cannot be derived from it. */
export const newToken = (): string => randomBytes(32).toString('base64url')

// Crockford's base 32: without I, L, O and U, which are easily mistaken when a code is read aloud or typed.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a code of ten characters of 5 bits each, in two groups: `4F7KQ-9XW2M`. */
export const newCode = (): string => {
  const characters = Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return `${characters.slice(0, 5).join('')}-${characters.slice(5).join('')}`
}

/** Normalizes a typed code to the form of `newCode`. */
export const normalCode = (typed: string): string => {
  const bare = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return `${bare.slice(0, 5)}-${bare.slice(5)}`
}
