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

/** Default links to discussions of the subject, for a deployment without social accounts. */
const TALK_OF_THE_SUBJECT =
  '#disinformation on Mastodon=https://mastodon.social/tags/disinformation,#disinformation on Bluesky=https://bsky.app/hashtag/disinformation'

export const gatewayConfigSchema = serviceConfigSchema.extend({
  // Required: no request works without auth.
  AUTH_URL: urlSetting('http', 'https'),
  WORKERS_URL: urlSetting('http', 'https').optional(),
  /** Port of this process's metrics, apart from the public address. Without it no metrics are served. */
  METRICS_PORT: portSetting.optional(),
  CONTACT_EMAIL: z.string().default('contact@iodine.local'),
  /**
   * `Label=https://…`, comma-separated: the links of the Get in Touch card. `none` gives no links, as an
   * empty variable counts as unset.
   */
  SOCIAL_LINKS: list(TALK_OF_THE_SUBJECT)
    .transform(links => (links.length === 1 && links[0] === 'none' ? [] : links))
    .transform(links =>
      links.map(link => ({ label: link.split('=', 1)[0] ?? '', url: link.replace(/^[^=]*=/, '') })),
    )
    .pipe(z.array(z.object({ label: z.string().min(1), url: urlSetting('http', 'https') }))),
  /** Download address of the collector extension, if not this gateway. */
  EXTENSION_URL: z.string().default(''),
  /** Public address of this deployment: the extension served here signs in there. */
  PUBLIC_URL: urlSetting('http', 'https').optional(),
  /** Tells the browser that the AI provider is the demo's, which has no model. */
  OFFLINE_AI: switchSetting.default(false),
  CORS_ORIGINS: list(),
  /** Proxies whose X-Forwarded-For is trusted: true, false, number of hops, or addresses. */
  TRUST_PROXY: z
    .string()
    .default('false')
    .transform(text => {
      if (text === 'true' || text === 'false') return text === 'true'
      return /^\d+$/.test(text) ? Number(text) : text
    }),
  /** Requests a minute per gateway process, by a signed-in user. */
  USER_REQUESTS_A_MINUTE: requestsSetting.default(1_200),
  /** Requests for feeds a minute per gateway process, by a feed key. */
  FEED_REQUESTS_A_MINUTE: requestsSetting.default(600),
  /** API requests a minute per gateway process, from an address without a session. */
  STRANGER_REQUESTS_A_MINUTE: requestsSetting.default(300),
  /**
   * All other requests a minute per gateway process and address, which may be that of a whole organisation.
   */
  PAGE_REQUESTS_A_MINUTE: requestsSetting.default(6_000),
  /** Folder of the built web apps: shell, mfe-data and so on, each with its `dist`. */
  WEB_ROOT: z.string().default(fileURLToPath(new URL('../..', import.meta.url))),
  /** Folder that `npm run deploy:section` publishes to. A version in use there replaces the built one. */
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
