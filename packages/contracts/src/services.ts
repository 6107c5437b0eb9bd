import { accountsInternal, personalDataInternal } from './accounts.js'
import { backupsInternal, peopleApi, systemApi } from './admin.js'
import {
  campaignAnalyticsApi,
  iodAnalyticsApi,
  narrativeAnalyticsApi,
  recordAnalyticsApi,
} from './analytics.js'
import { auditApi, auditInternal } from './audit.js'
import { adminApi, authApi, profileApi } from './auth.js'
import { campaignsApi, campaignsInternal } from './campaigns.js'
import { canonInternal, canonicalApi } from './canonical.js'
import { collectorApi } from './collector.js'
import { campaignCommentsApi, commentsInternal, iodCommentsApi } from './comments.js'
import { communityApi } from './community.js'
import { coordinationApi } from './coordination.js'
import type { FeedEndpoint, InternalEndpoint, PageEndpoint, PublicEndpoint } from './endpoint.js'
import { communityInternal, historyInternal, mailsInternal, rebuildInternal } from './events.js'
import { capturesApi, evidenceApi, sealsApi } from './evidence.js'
import { atomFeeds, mispFeeds, sealsInternal, taxiiFeeds } from './feeds.js'
import { importsApi } from './imports.js'
import {
  authInternal,
  capturesInternal,
  evidenceInternal,
  iodsInternal,
  narrativesInternal,
} from './internal.js'
import { iodsApi } from './iods.js'
import { keysInternal, secretsInternal } from './keys.js'
import { LIMITS } from './limits.js'
import { graphApi, narrativesApi } from './narratives.js'
import { notificationsInternal } from './notification-events.js'
import { notificationsApi } from './notifications.js'
import { outboxInternal } from './outbox.js'
import { recordImportsApi } from './record-imports.js'
import { oembedPages, reportPages, reportSealsInternal, reportsApi } from './reports.js'
import { recordsInternal, sightingsApi, sightingsInternal } from './sightings.js'
import { subscriptionsApi, subscriptionsInternal } from './subscriptions.js'
import { usageInternal } from './usage.js'
import { watchesApi } from './watches.js'

/** Gateway settings of a path prefix. */
export interface PrefixRules {
  /** Timeout of the answer's headers in milliseconds, default 30 s. */
  waitMs?: number
}

/** Manifest of a service, used by other parts, tools and end-to-end tests. */
export interface ServiceManifest {
  /** First segments of its public paths, below /api/v1; the first two where services share the first. */
  prefixes: Readonly<Record<string, PrefixRules>>
  /** Public endpoints, by section of the API reference. */
  apis: Readonly<Record<string, Readonly<Record<string, PublicEndpoint>>>>
  /**
   * Internal endpoints: a service that stores personal data or counts quotas lists those endpoints.
   */
  internal: Readonly<Record<string, InternalEndpoint>>
  /** Feeds for other systems, by the first segment of their paths, which are not below /api/v1. */
  feeds?: Readonly<Record<string, Readonly<Record<string, FeedEndpoint>>>>
  /** Public pages, by the first segment of their paths, which are not below /api/v1. */
  pages?: Readonly<Record<string, Readonly<Record<string, PageEndpoint>>>>
}

const large = { waitMs: 60_000 }

/**
 * Every service with its own database. The key names its folder, database, container and setting
 * `{NAME}_URL`.
 */
export const SERVICES = {
  auth: {
    prefixes: { auth: {}, profile: {}, admin: {} },
    apis: {
      auth: authApi,
      profile: profileApi,
      admin: { ...adminApi, ...auditApi, ...peopleApi, ...systemApi },
    },
    internal: {
      ...authInternal,
      ...accountsInternal,
      ...backupsInternal,
      ...mailsInternal,
      ...keysInternal,
      ...secretsInternal,
      ...auditInternal,
      exportUser: personalDataInternal.exportUser,
      ...outboxInternal,
      ...historyInternal,
    },
  },
  collector: {
    prefixes: {
      tiktok: {},
      telegram: {},
      blog: {},
      post: {},
      records: {},
      imports: {},
      captures: large,
      seals: {},
      'analytics/records': {},
    },
    apis: {
      collector: collectorApi,
      imports: recordImportsApi,
      captures: capturesApi,
      seals: sealsApi,
      analytics: recordAnalyticsApi,
    },
    internal: {
      ...recordsInternal,
      ...capturesInternal,
      ...sealsInternal,
      ...reportSealsInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...outboxInternal,
    },
  },
  iods: {
    prefixes: { iods: {}, 'analytics/iods': {}, 'analytics/values': {}, 'analytics/votes': {} },
    apis: { iods: iodsApi, evidence: evidenceApi, comments: iodCommentsApi, analytics: iodAnalyticsApi },
    internal: {
      ...iodsInternal,
      ...evidenceInternal,
      ...commentsInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...outboxInternal,
      ...historyInternal,
    },
  },
  campaigns: {
    prefixes: { campaigns: large, 'analytics/campaigns': {}, reports: large },
    apis: {
      campaigns: campaignsApi,
      comments: campaignCommentsApi,
      imports: importsApi,
      subscriptions: subscriptionsApi,
      reports: reportsApi,
      analytics: campaignAnalyticsApi,
    },
    feeds: { taxii2: taxiiFeeds, feeds: mispFeeds },
    pages: { reports: reportPages, oembed: oembedPages },
    internal: {
      ...campaignsInternal,
      ...subscriptionsInternal,
      ...secretsInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...outboxInternal,
    },
  },
  narratives: {
    prefixes: {
      narratives: { waitMs: LIMITS.extractionWaitMs + 15_000 },
      // A graph of a million triplets is aggregated before the first byte is sent.
      graph: { waitMs: 120_000 },
      'analytics/narratives': large,
    },
    apis: {
      narratives: narrativesApi,
      canonical: canonicalApi,
      graph: graphApi,
      analytics: narrativeAnalyticsApi,
    },
    internal: {
      ...narrativesInternal,
      ...canonInternal,
      ...personalDataInternal,
      ...usageInternal,
      ...outboxInternal,
      ...historyInternal,
      ...rebuildInternal,
    },
  },
  community: {
    prefixes: { community: {} },
    apis: { community: communityApi },
    internal: {
      ...communityInternal,
      ...personalDataInternal,
      ...outboxInternal,
      ...rebuildInternal,
    },
  },
  sightings: {
    prefixes: { sightings: {}, coordination: {} },
    apis: { sightings: sightingsApi, coordination: coordinationApi },
    internal: {
      ...sightingsInternal,
      ...personalDataInternal,
      ...outboxInternal,
    },
  },
  notifications: {
    prefixes: { notifications: {}, watches: {} },
    apis: { notifications: notificationsApi, watches: watchesApi },
    feeds: { atom: atomFeeds },
    internal: { ...notificationsInternal, ...secretsInternal, ...personalDataInternal, ...outboxInternal },
  },
} as const satisfies Record<string, ServiceManifest>

export type ServiceName = keyof typeof SERVICES
export const SERVICE_NAMES = Object.keys(SERVICES) as readonly ServiceName[]

/** Returns the services that serve an internal endpoint, such as `usageInternal.getUsage`. */
export const servicesWith = (endpoint: InternalEndpoint): readonly ServiceName[] =>
  SERVICE_NAMES.filter(name => Object.values<InternalEndpoint>(SERVICES[name].internal).includes(endpoint))

/** Every public endpoint with its section of the API reference, in service order. */
export const OPERATIONS: readonly {
  service: ServiceName
  section: string
  name: string
  spec: PublicEndpoint
}[] = SERVICE_NAMES.flatMap(service =>
  Object.entries<Readonly<Record<string, PublicEndpoint>>>(SERVICES[service].apis).flatMap(
    ([section, table]) => Object.entries(table).map(([name, spec]) => ({ service, section, name, spec })),
  ),
)

/** Every endpoint of the feeds, with its first segment. */
export const FEEDS: readonly { service: ServiceName; prefix: string; name: string; spec: FeedEndpoint }[] =
  SERVICE_NAMES.flatMap(service => {
    const { feeds = {} } = SERVICES[service] as ServiceManifest
    return Object.entries(feeds).flatMap(([prefix, table]) =>
      Object.entries(table).map(([name, spec]) => ({ service, prefix, name, spec })),
    )
  })

/** Every public page, with its first segment. */
export const PUBLIC_PAGES: readonly {
  service: ServiceName
  prefix: string
  name: string
  spec: PageEndpoint
}[] = SERVICE_NAMES.flatMap(service => {
  const { pages = {} } = SERVICES[service] as ServiceManifest
  return Object.entries(pages).flatMap(([prefix, table]) =>
    Object.entries(table).map(([name, spec]) => ({ service, prefix, name, spec })),
  )
})
