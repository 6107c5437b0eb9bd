import { domainToUnicode } from 'node:url'

/** Returns a stored address with its domain in Unicode. */
export const presentEmail = (email: string): string => {
  const at = email.lastIndexOf('@') + 1
  return email.slice(0, at) + (domainToUnicode(email.slice(at)) || email.slice(at))
}
