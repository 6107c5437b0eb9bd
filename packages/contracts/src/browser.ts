import { z } from 'zod'

/** `GET /config.json`: what the browser needs to know at run time. */
export const browserConfig = z.strictObject({
  product_name: z.string(),
  contact_email: z.string(),
  social_links: z.array(z.strictObject({ label: z.string(), url: z.string() })),
  extension_url: z.string(),
  /** Texts are analyzed by rules instead of an AI model, which screens must say. */
  offline_ai: z.boolean(),
  /** Sections that were deployed beside those the shell itself knows, in the order of the menu. */
  sections: z.array(z.strictObject({ id: z.string(), label: z.string(), remote: z.string() })),
})
export type BrowserConfig = z.output<typeof browserConfig>

/** `GET /remotes.json`: where each section's Module Federation manifest is, by remote name. */
export const remotesTable = z.record(z.string(), z.string())
export type RemotesTable = z.output<typeof remotesTable>
