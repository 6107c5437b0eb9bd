import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { portSetting, serviceConfigSchema, switchSetting, urlSetting } from '@iodine/service-kit'
import { z } from 'zod'

const list = (fallback = '') =>
  z
    .string()
    .default(fallback)
    .transform(text =>
      text
        .split(',')
        .map(part => part.trim())
        .filter(Boolean),
    )

const requestsSetting = z.coerce.number().int().min(1)

/** Where people talk about the subject: a deployment without accounts of its own points there. */
const TALK_OF_THE_SUBJECT =
  '#disinformation on Mastodon=https://mastodon.social/tags/disinformation,#disinformation on Bluesky=https://bsky.app/hashtag/disinformation'

export const gatewayConfigSchema = serviceConfigSchema.extend({
  // The one part that nothing works without.
  AUTH_URL: urlSetting('http', 'https'),
  WORKERS_URL: urlSetting('http', 'https').optional(),
  /** Where this process's metrics are read, apart from the public address; they are served nowhere unless it is set. */
  METRICS_PORT: portSetting.optional(),
  CONTACT_EMAIL: z.string().default('contact@iodine.local'),
  /** `Label=https://…`, comma-separated: the links of the Get in Touch card; `none` for none, as empty is not set. */
  SOCIAL_LINKS: list(TALK_OF_THE_SUBJECT)
    .transform(links => (links.length === 1 && links[0] === 'none' ? [] : links))
    .transform(links =>
      links.map(link => ({ label: link.split('=', 1)[0] ?? '', url: link.replace(/^[^=]*=/, '') })),
    )
    .pipe(z.array(z.object({ label: z.string().min(1), url: urlSetting('http', 'https') }))),
  /** Where the collector extension is to be had, when not from this gateway. */
  EXTENSION_URL: z.string().default(''),
  /** Where people reach this deployment: the extension served here signs in there. */
  PUBLIC_URL: urlSetting('http', 'https').optional(),
  /** The AI provider is the demo's, which has no model: the browser says so. */
  OFFLINE_AI: switchSetting.default(false),
  CORS_ORIGINS: list(),
  /** Which proxies in front of this one say truly where a request comes from: true, false, hops, or addresses. */
  TRUST_PROXY: z
    .string()
    .default('false')
    .transform(text => {
      if (text === 'true' || text === 'false') return text === 'true'
      return /^\d+$/.test(text) ? (_address: string, hop: number) => hop < Number(text) : text
    }),
  /** Requests a minute that each process of the gateway takes: of a signed-in user, … */
  USER_REQUESTS_A_MINUTE: requestsSetting.default(1_200),
  /** … to the API from an address without a session, … */
  STRANGER_REQUESTS_A_MINUTE: requestsSetting.default(300),
  /** … and to everything else from an address, behind which a whole organisation may sit. */
  PAGE_REQUESTS_A_MINUTE: requestsSetting.default(6_000),
  /** Folder that holds the built web apps: shell, mfe-data and so on, each with its `dist`. */
  WEB_ROOT: z.string().default(fileURLToPath(new URL('../..', import.meta.url))),
  /** Folder that `npm run deploy:section` publishes to: a version that is in use there takes the place of the built one. */
  REMOTES_ROOT: z
    .string()
    .refine(
      path => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
      'must be a folder that exists',
    )
    .transform(path => resolve(path))
    .optional(),
})
export type GatewayConfig = z.output<typeof gatewayConfigSchema>
