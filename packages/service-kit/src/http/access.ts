import { DETAILS, missingScope, type PublicEndpoint } from '@iodine/contracts'
import { forbidden, HttpError } from './errors.js'
import type { Caller } from './tokens.js'

/**
 * Throws 403 unless a caller of this kind may call the endpoint. To an API token that lacks a scope it names those that
 * would do, as RFC 6750, 3.1 has it.
 */
export const requireAccess = (
  caller: Caller,
  { access, scopes }: Pick<PublicEndpoint, 'access' | 'scopes'>,
): void => {
  if (caller.scope === 'feed') throw forbidden(DETAILS.feedScope)
  if (caller.scope === 'api') {
    if (!scopes) throw forbidden(DETAILS.apiTokenRefused)
    if (scopes.some(scope => caller.scopes?.includes(scope))) return
    throw new HttpError(403, missingScope(scopes), {
      'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"`,
    })
  }
  if (caller.scope === 'collector' && access !== 'collector') throw forbidden(DETAILS.collectorScope)
}
