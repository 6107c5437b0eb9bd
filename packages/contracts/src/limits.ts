/**
 * Limits shared by services, screens and the collector. Characters are code points in input of clients, else UTF-16
 * code units. Times are milliseconds unless the name contains another unit.
 */
export const LIMITS = {
  emailMax: 254,
  fieldMax: 10_000,
  narrativeTextMax: 50_000,
  openNarrativeTextMax: 200,
  apiKeyMax: 500,
  tripletPartMax: 500,
  tripletsMax: 200,
  listLimitMax: 500,
  /** Accounts on a page of the administrators' list, by default and at most, and matches that a search examines. */
  peoplePage: 50,
  peoplePageMax: 100,
  peopleFound: 500,
  /** Permanently failed outbox entries of a service that administrators see. */
  failedWorkMax: 100,
  /** Listed backups, and listed failed ones. */
  backupsKept: 20,
  /** Highest limit of a quota for one user. */
  quotaMax: 2 ** 40,
  skipMax: 2 ** 31 - 1,
  communityLimitMax: 100,
  communityPageSize: 20,
  contributionsPageSize: 50,
  recentContributions: 3,
  lookupValuesMax: 1_000,
  /** Maximum creators in a filter of IODs. */
  creatorsMax: 100,
  /** Days of which IODs are counted, at most and by default. */
  countedDaysMax: 90,
  countedDays: 30,
  /** Maximum days of an analyzed period: a year, and points of a series. */
  analyzedDaysMax: 400,
  /** Maximum values in an analysis, most frequent first. */
  analyzedValuesMax: 50,
  /** Maximum campaigns that are compared with each other. */
  analyzedCampaignsMax: 30,
  /** Maximum IODs of compared campaigns together. */
  analyzedMembersMax: 50_000,
  /** Maximum records that are compared with IODs at once. */
  comparedRecordsMax: 100,
  graphNodesMax: 50_000,
  /** Maximum links of a bounded graph per requested node. */
  graphLinksPerNode: 4,
  sentenceMax: 500,
  /** Narratives of a page of a node's mentions, and triplets of each. */
  mentionsMax: 50,
  mentionTripletsMax: 20,
  /** Characters of a folded label: folding may lengthen. */
  canonKeyMax: 2_000,
  /** Distinct triplets of a user that are compared, those of the newest texts, and the characters of their labels. */
  canonTripletsMax: 200_000,
  canonChars: 16_777_216,
  canonResultBytes: 67_108_864,
  /** Variants that are split off at once, and rules of one decision. */
  splitMembersMax: 200,
  decisionRulesMax: 1_000,
  /** Sentences of a page, and characters shown before and after one. */
  canonicalSentencesMax: 100,
  excerptMax: 200,
  /** Equal spans of time in which sentences are counted. */
  overTimeSpans: 24,
  /** Minimum users whose texts express a narrative that is shown to all. */
  sharedOwnersMin: 3,
  ingestRecordsMax: 500,
  naturalKeyMax: 10_100,
  /** Values that one call compares with all records of the caller, and their UTF-16 units. */
  containedValuesMax: 10_000,
  containedCharacters: 1_000_000,
  /** Values of a list that is checked. */
  checkedValuesMax: 10_000,
  /** Imports of records that are kept per user, and days in which they can be undone. */
  recordImportsMax: 1_000,
  importUndoDays: 30,
  fileNameMax: 255,
  /** Characters of a search in records, narratives, and names of campaigns. */
  searchMax: 200,
  addedIodsMax: 500,
  /** Techniques of a campaign. */
  techniquesMax: 100,
  /** Successors that replace one technique. */
  successorsMax: 5,
  /** Quotes of a technique, of a campaign, and the UTF-16 units of one. */
  techniqueQuotesMax: 10,
  campaignQuotesMax: 500,
  techniqueQuoteChars: 1_000,
  /** Proposals of techniques: sentences read, proposals of a run, runs of a user an hour, kept runs of a user, and their retention. */
  proposalSentences: 400,
  proposalsMax: 30,
  proposalsAnHour: 20,
  proposalsKept: 50,
  proposalMs: 7 * 86_400_000,
  /** Unknown techniques of an import that are shown. */
  unknownTechniques: 100,
  /** The last millisecond that a Date can have. */
  revisionMax: 8.64e15,
  /** IODs of a campaign that are read at once. Larger campaigns are streamed. */
  campaignBatch: 1_000,
  bodyBytes: 1_048_576,
  ingestBodyBytes: 16_777_216,
  jsonDepthMax: 64,
  passkeysMax: 20,
  passkeyNameMax: 60,
  passkeyChallengeMs: 5 * 60_000,
  magicLinkMs: 15 * 60_000,
  extensionCodeMs: 300_000,
  /** Validity of both links of a change of address, and changes that a user may request a day. */
  addressChangeMs: 24 * 3_600_000,
  addressChangesADay: 5,
  /** Validity of the link that confirms a deletion, and delay of the deletion. */
  deletionLinkMs: 15 * 60_000,
  deletionDelayMs: 7 * 24 * 3_600_000,
  /** Exports of all own data: number a day, bytes of a file, and its retention. */
  dataExportsADay: 3,
  dataExportBytes: 2_147_483_648,
  dataExportKeptMs: 24 * 3_600_000,
  /** Maximum wait of an export for services that are down. */
  dataExportWaitMs: 3 * 24 * 3_600_000,
  /** Sessions of a user: a new one ends the oldest. */
  sessionsMax: 100,
  sessionMs: 30 * 24 * 3_600_000,
  /** Idle timeout of a session: of a browser, and of the extension. */
  idleSessionMs: { web: 14 * 24 * 3_600_000, extension: 30 * 24 * 3_600_000 },
  /**
   * An account is deleted after this period without activity; its owner is warned `inactiveWarningMs` before.
   */
  inactiveMonths: 12,
  inactiveWarningMs: 30 * 24 * 3_600_000,
  /** Retention of entries of the audit log, and entries of one delivery. */
  auditMs: 365 * 86_400_000,
  auditBatch: 500,
  extractionWaitMs: 60_000,
  /** How long a deleted narrative can be restored. */
  restoreMs: 60_000,
  /** Blobs of a capture; bytes of its manifest, of a blob, of all its blobs; characters of its text. */
  captureBlobsMax: 64,
  manifestBytes: 262_144,
  blobBytes: 16_777_216,
  captureBytes: 25_165_824,
  captureTextMax: 1_000_000,
  /** Media up to this size are captured; of larger ones only the hash. */
  mediaBytes: 2_097_152,
  /** Captures of a user that wait for blobs. */
  openCapturesMax: 3,
  /** Characters of the reason for an erasure. */
  reasonMax: 500,
  /** Characters of an RFC 3161 token in base64. */
  timestampTokenMax: 100_000,
  /** Characters of the context of a quote, on each side. */
  quoteContextMax: 64,
  /** Bytes of an imported file; its objects, and the bytes of one. */
  importBytes: 67_108_864,
  importObjects: 200_000,
  importObjectBytes: 4_194_304,
  /** Objects of a batch of an import, and their bytes unless one object is larger. */
  importBatch: 1_000,
  /** Invalid entries of a file that its plan lists. */
  invalidListed: 200,
  importBatchBytes: 2_097_152,
  /** Unfinished imports of a user, and imports of a campaign. */
  openImportsMax: 20,
  campaignImportsMax: 500,
  /** Objects of other tools in a campaign, and their bytes. */
  keptObjectsMax: 400_000,
  keptBytes: 268_435_456,
  /** Events of MISP among these objects. */
  keptEventsMax: 1_000,
  /** Retention of a plan that is not applied. */
  importPlanMs: 24 * 3_600_000,
  /** IODs that one call upserts, and the characters of their texts. */
  upsertIodsMax: 250,
  upsertChars: 500_000,
  /** Subscriptions of all administrators; minutes between two runs of one. */
  subscriptionsMax: 100,
  pullMinutesMin: 5,
  pullMinutes: 60,
  pullMinutesMax: 10_080,
  feedUrlMax: 2_000,
  feedSecretMax: 500,
  /** Secrets of subscriptions that one call reseals. */
  resealedAtOnce: 50,
  /** Events of a MISP feed, and characters of a pull cursor. */
  feedEventsMax: 20_000,
  pullCursorMax: 2_097_152,
  /** IODs of a request for levels. */
  levelsMax: 500,
  evidenceCountsMax: 500,
  /** IODs of a request for consensus. A user has one request of more than a page at a time. */
  consensusMax: 500,
  consensusPage: 50,
  /** Pieces of evidence of an IOD, and those of them that one user adds or imports. */
  iodEvidenceMax: 100,
  userEvidenceMax: 20,
  /** Quotes in a request that imports evidence: ten of maximum length fit into a body. */
  importedQuotesMax: 10,
  /** Pieces of evidence in an export of a campaign. */
  exportedEvidenceMax: 20_000,
  /** Characters of a comment, of the name of an imported one's author, and mentions in a comment. */
  commentMax: 2_000,
  commentAuthorMax: 100,
  commentMentionsMax: 10,
  /** Comments on an IOD or campaign, and the latest of them in lists of IODs. */
  commentsMax: 5_000,
  listedComments: 50,
  /** Comments of a user. */
  commentsAnHour: 30,
  commentsADay: 200,
  /** Time for which a comment can be edited. */
  commentEditMs: 24 * 3_600_000,
  /** API tokens of a user, characters of a name, and the longest lifetime: a year, also a leap year. */
  apiTokensMax: 20,
  apiTokenNameMax: 100,
  apiTokenMs: 366 * 24 * 3_600_000,
  /** Time for which an expired token is listed. */
  expiredApiTokenMs: 30 * 24 * 3_600_000,
  /** Feed keys of a user, and characters of a label. */
  feedKeysMax: 10,
  feedKeyLabelMax: 100,
  /** Objects of a page of a feed, and their bytes unless one object is larger. */
  feedPageMax: 1_000,
  feedPageBytes: 5_242_880,
  /** Objects of a campaign that are published. */
  publishedObjectsMax: 100_000,
  /** Time for which withdrawn objects remain in feeds as revoked. */
  revokedMs: 90 * 24 * 3_600_000,
  /** Reports: open drafts of a campaign, versions, findings; indicators and exhibits on a page, and in its files. */
  reportDraftsMax: 3,
  reportVersionsMax: 50,
  reportFindingsMax: 40,
  reportPageBytes: 1_048_576,
  reportPageIndicators: 500,
  reportExhibitsMax: 100,
  reportIndicatorsMax: 10_000,
  /** Bytes of a file of a report. */
  reportFileBytes: 67_108_864,
  /** Compressed size, below that of a document in MongoDB. */
  reportFileCompressedBytes: 15_728_640,
  /** Time for which quoted users can take their content out of a report before it can be approved. */
  reportObjectionMs: 72 * 3_600_000,
  tooltipChars: 40,
  /** Context of a post in a record: characters of its text, its links and media. */
  contextTextMax: 50_000,
  contextLinksMax: 200,
  contextMediaMax: 200,
  /** Posts: characters of a text, of an id, name or tag, and of a URL; counts; bytes of other fields, as JSON. */
  postTextMax: 65_536,
  postNameMax: 500,
  addressMax: 2_000,
  metricsMax: 32,
  extraBytes: 16_384,
  /** Images whose hashes a record holds. */
  imageHashesMax: 5_000,
  /** Sightings on a page of a search, and candidates that a search compares. */
  sightingsPage: 200,
  sightingCandidates: 2_000,
  /** URLs of one lookup of posting times. */
  postedAddresses: 1_000,
  /** Maximum sightings of a user with a word: more frequent words do not distinguish texts. */
  sightingPostings: 500,
  /** Records that one call indexes, and records that it removes. */
  sightingsBatch: 50,
  sightingsRemoved: 1_000,
  /** Requests for counts an hour. */
  countQuestions: 60,
  /** Characters of a sighting's excerpt. */
  excerptChars: 280,
  /** Coordination: shares that a run examines, concurrent and stored runs of a user, and their retention. */
  coordinationShares: 2_000_000,
  coordinationRunsAtOnce: 3,
  coordinationRunsKept: 20,
  coordinationKeptMs: 30 * 86_400_000,
  coordinationWindowMaxS: 86_400,
  coordinationParticipationMax: 1_000,
  /** Stored edges of a run, the heaviest first, and stored pairs of an edge. */
  coordinationEdges: 5_000,
  coordinationEvidence: 50,
  /** Own posts without a time or an account that a run lists. */
  coordinationOmitted: 200,
  /** Claims, values and URLs of a run's topic, and characters of its name. */
  coordinationValues: 100,
  runNameMax: 200,
  /** Watches of a user; characters of a name, and of a watched term, URL or text. */
  watchesMax: 200,
  watchNameMax: 200,
  watchTextMax: 2_000,
  /** Stored notifications of a user, and their retention. */
  notificationsKept: 5_000,
  notificationMs: 90 * 86_400_000,
  notificationsPage: 100,
  /** Unread notifications that are counted. */
  unreadCounted: 100,
  /** Events of a watch and subject within this time are one notification. */
  notificationFoldMs: 3_600_000,
  /** Events of one delivery to the notifications service. */
  notificationEvents: 250,
  /** Notifications that a mail lists. */
  mailedNotifications: 20,
  /** Pending deliveries to a user's webhook. */
  webhookDeliveries: 1_000,
  /** Attempts to deliver to a webhook, and failed deliveries in a row that disable it. */
  webhookTries: 5,
  webhookFailuresMax: 50,
} as const

export const USERNAME_PATTERN = /^[A-Za-z0-9_]{3,20}$/
/** Ids of DISARM's techniques. */
export const TECHNIQUE_PATTERN = /^T\d{4}(\.\d{3})?$/
