import {
  campaignsApi,
  collectorApi,
  iodAnalyticsApi,
  OPERATIONS,
  reportsApi,
  sealsApi,
} from '@iodine/contracts'
import type { ProcessName } from '@iodine/harness'
import type { Client, Outcome } from './client.js'

/** Longest acceptable response time of a section, in milliseconds. */
export const USABLE_MS = 5_000

/** A section of the product: the parts that it depends on, and a read request of its page. */
export interface Section {
  name: string
  needs: readonly ProcessName[]
  /** @param client with a session and a timeout of `USABLE_MS` */
  read(client: Client): Promise<Outcome<unknown>>
}

/** Sections with a custom read below, or for administrators only. */
const OWN_READ = new Set([
  'collector',
  'seals',
  'campaigns',
  'analytics',
  'reports',
  'admin',
  'subscriptions',
])

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
    read: ({ call }) => call(spec, { query: spec.query && { limit: '20' } }),
  }),
)

export const SECTIONS: readonly Section[] = [
  {
    name: 'app',
    needs: ['gateway'],
    async read({ get }) {
      const page = await get('/', USABLE_MS)
      return page.kind === 'done' ? get('/remotes.json', USABLE_MS) : page
    },
  },
  {
    name: 'my data',
    needs: ['gateway', 'collector', 'database'],
    read: ({ call }) =>
      call(collectorApi.listRecords, { params: { source: 'tiktok' }, query: { limit: '5' } }),
  },
  {
    name: 'seals',
    needs: ['gateway', 'collector', 'database'],
    // The log itself may be empty.
    read: ({ call }) => call(sealsApi.getSealKeys),
  },
  {
    name: 'campaigns',
    needs: ['gateway', 'campaigns', 'database'],
    async read({ call }) {
      const list = await call(campaignsApi.listCampaigns, { query: { limit: '5' } })
      const [first] = list.kind === 'done' ? list.body : []
      if (!first) return list
      const detail = await call(campaignsApi.getCampaign, { params: { id: first.id } })
      // The owner may have deleted it between the two reads.
      return detail.kind !== 'done' && detail.status === 404 ? list : detail
    },
  },
  {
    name: 'analytics',
    needs: ['gateway', 'iods', 'database'],
    read: ({ call }) => {
      const to = new Date().toISOString().slice(0, 10)
      return call(iodAnalyticsApi.analyzeIods, { query: { from: to, to } })
    },
  },
  {
    name: 'reports',
    needs: ['gateway', 'campaigns', 'database'],
    read: ({ call }) => call(reportsApi.listQuoted),
  },
  ...reads,
]
