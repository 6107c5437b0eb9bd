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
const DEFAULT_SOCIAL_LINKS =
  '#disinformation on Mastodon=https://mastodon.social/tags/disinformation,#disinformation on Bluesky=https://bsky.app/hashtag/disinformation'

export const gatewayConfigSchema = serviceConfigSchema.extend({
  AUTH_URL: urlSetting('http', 'https').describe('Internal URL of auth. The gateway requires it.'),
  WORKERS_URL: urlSetting('http', 'https').optional(),
  METRICS_PORT: portSetting
    .optional()
    .describe('Separate port of the gateway’s metrics (Prometheus, `/metrics`).'),
  CONTACT_EMAIL: z.string().default('contact@iodine.local').describe('Contact email address on the pages.'),
  SOCIAL_LINKS: list(DEFAULT_SOCIAL_LINKS)
    .transform(links => (links.length === 1 && links[0] === 'none' ? [] : links))
    .transform(links =>
      links.map(link => ({ label: link.split('=', 1)[0] ?? '', url: link.replace(/^[^=]*=/, '') })),
    )
    .pipe(z.array(z.object({ label: z.string().min(1), url: urlSetting('http', 'https') })))
    .describe('Links beside the contact: `Label=https://…`, separated by commas. `none` for no links.'),
  EXTENSION_URL: z.string().default('').describe('Download URL of the extension, if not this gateway.'),
  EXTENSION_FIREFOX_URL: z
    .string()
    .default('')
    .describe('Download URL of the extension for Firefox, if not this gateway.'),
  PUBLIC_URL: urlSetting('http', 'https').optional(),
  OFFLINE_AI: switchSetting
    .default(false)
    .describe('`true`: the screens show that rules, not an AI model, analyze texts.'),
  REPORTS: z.enum(['off', 'reviewed']).default('off'),
  CORS_ORIGINS: list().describe('Further origins whose pages may call the API, separated by commas.'),
  TRUST_PROXY: z
    .string()
    .default('false')
    .transform(text => {
      if (text === 'true' || text === 'false') return text === 'true'
      return /^\d+$/.test(text) ? Number(text) : text
    })
    .describe(
      'Proxies whose X-Forwarded-For is trusted: `true`, a number of hops, or addresses and subnets.',
    ),
  USER_REQUESTS_A_MINUTE: requestsSetting
    .default(1_200)
    .describe('Requests a minute of a signed-in user, for each process of the gateway.'),
  FEED_REQUESTS_A_MINUTE: requestsSetting
    .default(600)
    .describe('Requests a minute of a feed key, for each process of the gateway.'),
  STRANGER_REQUESTS_A_MINUTE: requestsSetting
    .default(300)
    .describe('API requests a minute from an IP address without a session, for each process of the gateway.'),
  REPORT_REQUESTS_A_MINUTE: requestsSetting
    .default(120)
    .describe('Requests a minute of published reports from an IP address, for each process of the gateway.'),
  PAGE_REQUESTS_A_MINUTE: requestsSetting
    .default(6_000)
    .describe('All other requests a minute from an IP address, for each process of the gateway.'),
  WEB_ROOT: z
    .string()
    .default(fileURLToPath(new URL('../..', import.meta.url)))
    .describe('Folder of the built web apps.'),
  REMOTES_ROOT: z
    .string()
    .refine(
      path => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
      'must be a folder that exists',
    )
    .transform(path => resolve(path))
    .optional()
    .describe(
      'Folder to which `npm run deploy:section` publishes sections. They come before those of `WEB_ROOT`.',
    ),
})
export type GatewayConfig = z.output<typeof gatewayConfigSchema>
