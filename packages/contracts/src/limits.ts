/**
 * Limits shared by services, screens and the collector. Characters are code points in what clients send, else UTF-16
 * code units; times are milliseconds unless the name says otherwise.
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
  /** Accounts on a page of administrators' list, by default and at most, and matches of a search that are looked at. */
  peoplePage: 50,
  peoplePageMax: 100,
  peopleFound: 500,
  /** Entries of a service's outbox that were given up, as administrators see them. */
  failedWorkMax: 100,
  /** Backups that are remembered, and likewise failed ones. */
  backupsKept: 20,
  /** The highest limit of a quota that can be given to a user. */
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
  /** Members that are split off at once, and rules that one decision makes. */
  splitMembersMax: 200,
  decisionRulesMax: 1_000,
  /** Sentences of a page, and characters shown before and after one. */
  canonicalSentencesMax: 100,
  excerptMax: 200,
  /** Equal spans of time in which sentences are counted. */
  overTimeSpans: 24,
  /** Users who say a narrative that is shown to all. */
  sharedOwnersMin: 3,
  ingestRecordsMax: 500,
  /** Characters of a search in records, narratives, and names of campaigns. */
  searchMax: 200,
  addedIodsMax: 500,
  /** Techniques of a campaign. */
  techniquesMax: 100,
  /** Techniques that an import names and the list lacks, as many as are shown. */
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
  /** How long both links of a change of address work, and changes that a user asks for a day. */
  addressChangeMs: 24 * 3_600_000,
  addressChangesADay: 5,
  /** How long the link works that has an account deleted, and how long its owner may change their mind. */
  deletionLinkMs: 15 * 60_000,
  deletionDelayMs: 7 * 24 * 3_600_000,
  /** Exports of all own data: how many a day, the bytes of a file, and how long it is kept. */
  dataExportsADay: 3,
  dataExportBytes: 2_147_483_648,
  dataExportKeptMs: 24 * 3_600_000,
  /** How long an export waits for services that are down. */
  dataExportWaitMs: 3 * 24 * 3_600_000,
  /** Sessions of a user: a new one ends the oldest. */
  sessionsMax: 100,
  sessionMs: 30 * 24 * 3_600_000,
  /** A session that is not used for this long ends: of a browser, and of the extension. */
  idleSessionMs: { web: 14 * 24 * 3_600_000, extension: 30 * 24 * 3_600_000 },
  /**
   * An account is deleted after this period without activity; its owner is warned `inactiveWarningMs` before.
   */
  inactiveMonths: 12,
  inactiveWarningMs: 30 * 24 * 3_600_000,
  /** How long entries of the audit log are kept, and how many are handed over at once. */
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
  /** Media up to this size are captured; of others the hash alone. */
  mediaBytes: 2_097_152,
  /** Captures of a user that wait for blobs. */
  openCapturesMax: 3,
  /** Why the team erased a capture. */
  reasonMax: 500,
  /** Context of a quote, on each side. */
  /** Characters of an RFC 3161 token in base64. */
  timestampTokenMax: 100_000,
  quoteContextMax: 64,
  /** Bytes of an imported file; its objects, and the bytes of one. */
  importBytes: 67_108_864,
  importObjects: 200_000,
  importObjectBytes: 4_194_304,
  /** Objects that are worked on at once, and their bytes, but for a larger one. */
  importBatch: 1_000,
  /** Refused entries of a file that its plan lists. */
  invalidListed: 200,
  importBatchBytes: 2_097_152,
  /** Imports of a user that are not done, and those that a campaign has. */
  openImportsMax: 20,
  campaignImportsMax: 500,
  /** Objects of other tools in a campaign, and their bytes. */
  keptObjectsMax: 400_000,
  keptBytes: 268_435_456,
  /** Of these objects, events of MISP. */
  keptEventsMax: 1_000,
  /** How long a plan waits to be applied. */
  importPlanMs: 24 * 3_600_000,
  /** IODs that are brought in by one call, and the characters of their texts. */
  broughtIodsMax: 250,
  broughtChars: 500_000,
  /** Subscriptions of all administrators; minutes between two runs of one. */
  subscriptionsMax: 100,
  pullMinutesMin: 5,
  pullMinutes: 60,
  pullMinutesMax: 10_080,
  feedUrlMax: 2_000,
  feedSecretMax: 500,
  /** Sealed secrets of subscriptions that are sealed anew at once. */
  resealedAtOnce: 50,
  /** Events of a MISP feed, and characters of a note of what has been pulled. */
  feedEventsMax: 20_000,
  pullCursorMax: 2_097_152,
  /** IODs whose levels are asked for at once. */
  levelsMax: 500,
  evidenceCountsMax: 500,
  /** IODs of which consensus is asked for at once; with more than a page, a user has one request at a time. */
  consensusMax: 500,
  consensusPage: 50,
  /** Pieces of evidence of an IOD, and those of them that one user adds or imports. */
  iodEvidenceMax: 100,
  userEvidenceMax: 20,
  /** Quotes in a request that imports evidence: ten of maximum length fit into a body. */
  importedQuotesMax: 10,
  /** Pieces of evidence in an export of a campaign. */
  exportedEvidenceMax: 20_000,
  /** API tokens of a user, characters of a name, and the longest life: a year, whichever. */
  apiTokensMax: 20,
  apiTokenNameMax: 100,
  apiTokenMs: 366 * 24 * 3_600_000,
  /** How long a token that has expired is still listed. */
  expiredApiTokenMs: 30 * 24 * 3_600_000,
  /** Feed keys of a user, and characters of a label. */
  feedKeysMax: 10,
  feedKeyLabelMax: 100,
  /** Objects of a page of a feed, and their bytes, but for a larger one. */
  feedPageMax: 1_000,
  feedPageBytes: 5_242_880,
  /** Objects of a campaign that are published. */
  publishedObjectsMax: 100_000,
  /** How long what was withdrawn stays in feeds as revoked. */
  revokedMs: 90 * 24 * 3_600_000,
  tooltipChars: 40,
  /** What a record says around a post: characters of its text, its links and media. */
  contextTextMax: 50_000,
  contextLinksMax: 200,
  contextMediaMax: 200,
  /** Images whose hashes a record holds. */
  imageHashesMax: 5_000,
  /** Sightings on a page of a search, and candidates that a search compares with what is searched for. */
  sightingsPage: 200,
  sightingCandidates: 2_000,
  /** Addresses that the times of posting are looked up of at once. */
  postedAddresses: 1_000,
  /** Words with more sightings of a user than this say nothing about what is told. */
  sightingPostings: 500,
  /** Records that are indexed at once, and removed ones. */
  sightingsBatch: 50,
  sightingsRemoved: 1_000,
  /** Questions for counts an hour. */
  countQuestions: 60,
  /** Characters of a text beside a sighting. */
  excerptChars: 280,
  /** Who shares the same: shares that a run looks at, runs at once and kept of a user, and how long they are kept. */
  coordinationShares: 2_000_000,
  coordinationRunsAtOnce: 3,
  coordinationRunsKept: 20,
  coordinationKeptMs: 30 * 86_400_000,
  coordinationWindowMaxS: 86_400,
  coordinationParticipationMax: 1_000,
  /** Edges that are kept of a run, the heaviest first, and pairs of an edge. */
  coordinationEdges: 5_000,
  coordinationEvidence: 50,
  /** Own posts without a time or an account that a run names. */
  coordinationLeftOut: 200,
  /** Claims, values and addresses that a run is about, and the length of what it is called by. */
  coordinationValues: 100,
  runNameMax: 200,
} as const

export const USERNAME_PATTERN = /^[A-Za-z0-9_]{3,20}$/
/** Ids of DISARM's techniques. */
export const TECHNIQUE_PATTERN = /^T\d{4}(\.\d{3})?$/
