import {
  campaignsApi,
  collectorApi,
  communityApi,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
} from '@iodine/contracts'
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
    name: 'profile',
    needs: ['gateway', 'auth', 'database'],
    read: (client, token) => client.call(profileApi.getProfile, { token, ms }),
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
    name: 'IODs',
    needs: ['gateway', 'iods', 'database'],
    read: (client, token) => client.call(iodsApi.listIods, { token, query: { limit: '20' }, ms }),
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
  {
    name: 'narratives',
    needs: ['gateway', 'narratives', 'database'],
    read: (client, token) => client.call(narrativesApi.listNarratives, { token, query: { limit: '5' }, ms }),
  },
  {
    name: 'graph',
    needs: ['gateway', 'narratives', 'database'],
    read: (client, token) => client.call(graphApi.getTriplets, { token, query: { limit: '50' }, ms }),
  },
  {
    name: 'community',
    needs: ['gateway', 'community', 'database'],
    read: (client, token) => client.call(communityApi.listUsers, { token, query: { limit: '10' }, ms }),
  },
]
