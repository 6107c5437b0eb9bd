// Imported before everything else: scripts are loaded by the modules after it.

/** The part of the Trusted Types API (W3C) that the shell uses. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL(url: string): string }): unknown
}

/** Refuses everything but scripts and workers of this origin. */
const createScriptURL = (url: string): string => {
  const { origin, protocol } = new URL(url, window.location.href)
  if (origin === window.location.origin && /^(https?|blob):$/.test(protocol)) return url
  throw new TypeError('Scripts are loaded from this origin alone')
}

/**
 * The page's default policy. Under `require-trusted-types-for` a browser asks it about each text that would
 * become a script's or worker's address; HTML and script texts, for which it has no rule, are refused.
 */
const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createScriptURL })
