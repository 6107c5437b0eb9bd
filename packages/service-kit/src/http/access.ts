import { DETAILS, missingScope, type PublicEndpoint } from '@iodine/contracts'
import { forbidden, HttpError } from './errors.js'
import type { Caller } from './tokens.js'

/**
 * Checks that the caller's scope allows the endpoint.
 * @throws HttpError 403; for an API token `WWW-Authenticate` names the sufficient scopes (RFC 6750, 3.1)
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
