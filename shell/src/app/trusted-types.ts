// Must be imported first: the modules after it load scripts.

/** The part of the Trusted Types API (W3C) that the shell uses. */
interface TrustedTypes {
  createPolicy(name: 'default', rules: { createScriptURL(url: string): string | null }): unknown
}

/** Accepts only scripts and workers of this origin. The browser blocks and reports URLs for which this returns null. */
const createScriptURL = (url: string): string | null => {
  const { origin, protocol } = new URL(url, window.location.href)
  return origin === window.location.origin && /^(https?|blob):$/.test(protocol) ? url : null
}

/**
 * The page's default policy. Under `require-trusted-types-for`, browsers apply it to each string used as a script or
 * worker URL. They block strings used as HTML or script text, because the policy has no rule for them.
 */
const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createScriptURL })
