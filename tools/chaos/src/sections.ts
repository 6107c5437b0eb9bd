import { campaignsApi, collectorApi, OPERATIONS } from '@iodine/contracts'
import type { ProcessName } from '@iodine/harness'
import type { Client, Outcome } from './client.js'

/** Slower than this a section is of no use. */
const USABLE_MS = 5_000

/** What people open in the product: the parts that it cannot do without, and a read as its page makes it. */
export interface Section {
  name: string
  needs: readonly ProcessName[]
  read(client: Client, token: string): Promise<Outcome<unknown>>
}

const ms = USABLE_MS

/** Read otherwise below, or by administrators alone. */
const OWN_READ = new Set(['collector', 'campaigns', 'admin'])

const isRead = ({ section, spec }: (typeof OPERATIONS)[number]) =>
  spec.method === 'GET' && !spec.params && !OWN_READ.has(section)

/** The first read of each other section of the API. */
const reads = OPERATIONS.filter(
  (one, index) =>
    isRead(one) && index === OPERATIONS.findIndex(each => each.section === one.section && isRead(each)),
).map(
  ({ service, section, spec }): Section => ({
    name: section,
    needs: ['gateway', service, 'database'],
    read: (client, token) => client.call(spec, { token, query: spec.query && { limit: '20' }, ms }),
  }),
)

export const SECTIONS: readonly Section[] = [
  {
    name: 'app',
    needs: ['gateway'],
    async read(client) {
      const page = await client.get('/', ms)
      return page.kind === 'done' ? client.get('/remotes.json', ms) : page
    },
  },
  {
    name: 'my data',
    needs: ['gateway', 'collector', 'database'],
    read: (client, token) =>
      client.call(collectorApi.listRecords, {
        token,
        params: { source: 'tiktok' },
        query: { limit: '5' },
        ms,
      }),
  },
  {
    name: 'campaigns',
    needs: ['gateway', 'campaigns', 'database'],
    async read(client, token) {
      const list = await client.call(campaignsApi.listCampaigns, { token, query: { limit: '5' }, ms })
      const [first] = list.kind === 'done' ? list.body : []
      if (!first) return list
      const detail = await client.call(campaignsApi.getCampaign, { token, params: { id: first.id }, ms })
      // Somebody may have deleted it between the two.
      return detail.status === 404 ? list : detail
    },
  },
  ...reads,
]
