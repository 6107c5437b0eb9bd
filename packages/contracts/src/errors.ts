import { LIMITS } from './limits.js'

/** Error details shown to clients verbatim, shared by services, screens and tests. */
export const DETAILS = {
  badToken: 'This link is invalid or has expired',
  ownAddress: 'This is already your email address',
  adminAddress:
    'Your email address makes you an administrator: ask the operator of this site to change it in the settings first',
  addressTaken: 'Another account has this address now: your address has not changed',
  notConfirmed: 'confirm: must be your username or your e-mail address',
  exportUnderWay: 'An export of your data is already running',
  badExtensionCode: 'This code is invalid or has expired',
  badPasskey: 'This passkey was not accepted',
  passkeysFull: `You have ${LIMITS.passkeysMax} passkeys: remove one to make room`,
  passkeyKnown: 'This passkey is already added',
  passkeySession: 'Sign in with a passkey to do this',
  suspendAdmin:
    'This user is an administrator: only the operator of this site can suspend them, or remove their address from ADMIN_EMAILS first',
  badInviteCode: 'Invalid beta code',
  unauthenticated: 'Not authenticated',
  forbidden: "You don't have permission to do this",
  collectorScope: 'This token may only be used by the collector',
  notFound: 'Not found',
  usernameRule: 'Username must contain between 3 and 20 alphanumeric characters',
  usernameTaken: 'This username is already taken',
  duplicateIod: 'This IOD already exists',
  captureSealed: 'This capture is sealed',
  captureIncomplete: 'Blobs of this capture are missing',
  openCaptures: `At most ${LIMITS.openCapturesMax} captures may be open at once: complete one first`,
  notSealed: 'This capture is not sealed yet',
  blobDiffers: 'The bytes do not match the manifest',
  captureTooLarge: 'The blobs of this capture are too large',
  quoteNotThere: 'exact: is not at this position of the text',
  alreadyQuoted: 'This quote is already evidence of this IOD',
  unrelatedQuote: 'exact: does not quote the value of this IOD',
  iodEvidenceFull: `This IOD has ${LIMITS.iodEvidenceMax} pieces of evidence: no more can be added`,
  userEvidenceFull: `You have added ${LIMITS.userEvidenceMax} pieces of evidence to this IOD: delete one to make room`,
  exportedEvidenceFull: `The IODs have more than ${LIMITS.exportedEvidenceMax.toLocaleString('en-US')} pieces of evidence: export the campaign without evidence`,
  importedAlready: 'This file has been imported into this campaign already',
  importNotPlanned: 'This import is not planned, or is being applied already',
  keptObjectsFull: `This campaign has ${LIMITS.keptObjectsMax.toLocaleString('en-US')} imported objects, the maximum: remove an import to make room`,
  openImports: `At most ${LIMITS.openImportsMax} imports may be open at once: apply or discard one first`,
  subscriptionsFull: `There are ${LIMITS.subscriptionsMax} subscriptions: delete one to make room`,
  subscriptionBusy: 'This subscription is paused or already running',
  pullLost: 'This run has ended or belongs to another worker',
  subscriptionOrphaned:
    'Paused: its owner is no longer an administrator. Resume it to import in your own name',
  subscriptionHomeless:
    'Paused: its campaign was deleted. Delete this subscription, and create one for another campaign',
  pullRemoved: 'Its import was removed before it was complete',
  tlpTooLow: 'This campaign contains imported objects with a stricter level',
  publishedRed: 'TLP:RED content is never published: choose another level, or withdraw the campaign first',
  publishedFull: `At most ${LIMITS.publishedObjectsMax.toLocaleString('en-US')} objects of a campaign can be published`,
  feedKeysFull: `You have ${LIMITS.feedKeysMax} feed keys: revoke one to create another`,
  reportsOff: 'Reports are off at this site: its operator can turn them on',
  reportNotClear: 'Only a TLP:CLEAR campaign can be published as a report: change its level first',
  reportTlpTooLow:
    'This campaign contains imported objects with a stricter level: make a copy of the campaign without them',
  reportDraftsFull: `This campaign has ${LIMITS.reportDraftsMax} drafts of reports: finish or delete one first`,
  reportVersionsFull: `This report has ${LIMITS.reportVersionsMax} versions, the maximum`,
  reportInReview: 'This report is in review: it can be changed once that ends',
  reportNotInReview: 'This report is not in review',
  reportIncomplete: 'A report needs a title, a summary, a method and at least one finding',
  reportChangeMissing: 'change: must say what was corrected',
  reportPublished: 'A published report cannot be deleted: withdraw it',
  reportNotPublished: 'This report is not published',
  reportWithdrawn: 'This report is withdrawn',
  reportRepliesFull: 'This report has the maximum of 50 replies',
  reportStale: 'A source of this version was deleted, redacted or restricted: hand the report in again',
  reportOtherBytes: 'sha256: the version in review has changed: read it again',
  reportAttribution:
    'attribution: this report attributes the campaign itself, which the reviewer must accept',
  watchesFull: `You have ${LIMITS.watchesMax} watches: delete one to make room`,
  notTaxii: 'Only application/taxii+json;version=2.1 is served',
  apiTokensFull: `You have ${LIMITS.apiTokensMax} API tokens: revoke one to create another`,
  apiTokenRefused: 'API tokens may not be used for this',
  apiTokenRevoking:
    'This token is revoked, but parts of the service may accept it for up to ten more minutes: try again to end it at once',
  tokensRevoking:
    'The tokens are revoked, but parts of the service may accept them for up to ten more minutes: try again to end them at once',
  feedKeyReads: 'This feed key may not read this feed',
  feedScope: 'This token may only be used for feeds',
  unknownTechnique: 'tid: is not a DISARM technique',
  notObsolete: 'This technique is not obsolete',
  notASuccessor: 'with: is not a successor of this technique',
  notProposed: 'accept, reject: must be proposed techniques',
  noSentence: 'There is no sentence to read',
  proposalRunning: 'Another run is under way: wait until it is done',
  proposalOpen: 'The proposals are not complete',
  proposalSourceGone: 'The text of these proposals was changed or deleted',
  quotesFull: `This campaign has ${LIMITS.campaignQuotesMax} quotes of techniques, the maximum: delete one to make room`,
  techniquesFull: `This campaign has ${LIMITS.techniquesMax} techniques: remove one to make room`,
  alreadyVoted: 'You already voted',
  repliedDeleted: 'The comment that you reply to was deleted',
  replyToReply: 'reply_to: must not be a reply itself',
  tooManyMentions: `content: must mention at most ${LIMITS.commentMentionsMax} users`,
  commentsFull: `There are ${LIMITS.commentsMax.toLocaleString('en-US')} comments: no more can be added`,
  editTooLate: 'A comment can be edited for 24 hours',
  missingAiKey: 'Please configure your OpenAI API key in your profile',
  rejectedAiKey: 'Your OpenAI API key was rejected by the provider',
  noCredit:
    'The account of your OpenAI API key has no credit left at the AI provider: add credit there, or use another key',
  providerRateLimit: 'The AI provider is limiting requests for your key, please try again later',
  providerFailed: 'The AI provider failed to answer',
  providerRefused: 'The AI provider refused to analyze this text',
  decisionUndone: 'This decision is undone already',
  sameNarrative: 'These are the same narrative already',
  mergedHere: 'Variants of this part are merged in this narrative only. Undo that merge in the history first',
  membersMoved: 'These variants are no longer together: reload the narrative',
  allMembers: 'members: at least one must stay',
  notAMember: 'members: is not a member of this part',
  decisionTooLarge: `members: at most ${LIMITS.decisionRulesMax.toLocaleString('en-US')} pairs can be set apart at once`,
  notDeleted: 'This narrative is not deleted',
  stillWorking: 'Still working: the narrative will appear in your list',
  malformedJson: 'The body is not valid JSON',
  notJson: 'The body must be JSON',
  notBytes: 'The body must be bytes (application/octet-stream)',
  bodyTooLarge: 'The body is too large',
  uriTooLong: 'The URL is too long',
  headersTooLarge: 'The headers are too large',
  badRequest: 'Bad request',
  tooManyRequests: 'Too many requests, please try again later',
  logoutUnfinished:
    'Your session has ended, but parts of the service may accept it for up to ten more minutes: try again to end it at once',
  unavailable: 'This part of the service is not available right now',
  busy: 'Too many requests at once, please try again in a few seconds',
  timeout: 'This took too long',
  internal: 'Something went wrong',
} as const

/** Returns the error detail for an API token without any of the scopes that an endpoint requires. */
export const missingScope = (scopes: readonly string[]): string =>
  `This API token lacks the scope ${scopes.join(' or ')}`

/** Returns the error detail for an obsolete technique. */
export const obsoleteTechnique = (successors: readonly string[]): string =>
  successors.length > 0
    ? `tid: is obsolete, replaced by ${successors.join(' and ')}`
    : 'tid: is obsolete, without a successor'

/** Returns the error detail for proposals of an earlier version of DISARM's list. */
export const listChanged = (version: string): string =>
  `DISARM’s list has changed to version ${version}: request proposals again`
