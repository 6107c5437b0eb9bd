import { z } from 'zod'

/** `GET /config.json`: the browser's run-time configuration. */
export const browserConfig = z.strictObject({
  product_name: z.string(),
  contact_email: z.string(),
  social_links: z.array(z.strictObject({ label: z.string(), url: z.string() })),
  /** Download URLs of the browser extension: for Chromium, and for Firefox. */
  extension_url: z.string(),
  extension_firefox_url: z.string(),
  /** True if texts are analyzed by rules instead of an AI model; screens must state it. */
  offline_ai: z.boolean(),
  /** Whether public reports of campaigns can be written. */
  reports: z.boolean(),
  /** Sections deployed in addition to the shell's own, in menu order. */
  sections: z.array(z.strictObject({ id: z.string(), label: z.string(), remote: z.string() })),
})
export type BrowserConfig = z.output<typeof browserConfig>

/** `GET /remotes.json`: URL of each section's Module Federation manifest, by remote name. */
export const remotesTable = z.record(z.string(), z.string())
export type RemotesTable = z.output<typeof remotesTable>

/** First segments of the paths that the shell has pages for, besides `/`. */
export const PAGES = [
  'login',
  'magic-login',
  'auth',
  'account-link',
  'setup-username',
  'privacy-policy',
  'terms-of-service',
  'verify',
  'dashboard',
] as const
