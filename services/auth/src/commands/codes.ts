import { randomBytes, randomInt } from 'node:crypto'

/** 256 random bits, in base64url. Only a hash is stored: a random secret cannot be found from it. */
export const newToken = (): string => randomBytes(32).toString('base64url')

// Without I, L, O and U (Crockford's base 32): nothing to mistake when a code is read aloud or typed.
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Ten characters of 5 bits each, in two groups: `4F7KQ-9XW2M`. */
export const newCode = (): string => {
  const characters = Array.from({ length: 10 }, () => ALPHABET[randomInt(ALPHABET.length)])
  return `${characters.slice(0, 5).join('')}-${characters.slice(5).join('')}`
}

/** A code as typed, in the form it was made in. */
export const normalCode = (typed: string): string => {
  const bare = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return `${bare.slice(0, 5)}-${bare.slice(5)}`
}
