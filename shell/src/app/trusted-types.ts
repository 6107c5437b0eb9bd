// Imported before everything else: scripts are loaded by the modules after it.

/** The part of the Trusted Types API (W3C) that the shell uses. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL(url: string): string | null }): unknown
}

/** Takes scripts and workers of this origin alone. The browser refuses and reports what is null. */
const createScriptURL = (url: string): string | null => {
  const { origin, protocol } = new URL(url, window.location.href)
  return origin === window.location.origin && /^(https?|blob):$/.test(protocol) ? url : null
}

/**
 * The page's default policy. Under `require-trusted-types-for` a browser asks it about each text that would
 * become a script's or worker's address; HTML and script texts, for which it has no rule, are refused.
 */
const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createScriptURL })
