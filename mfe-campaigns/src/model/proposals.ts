import { type BodyOf, type campaignsApi, DETAILS, LIMITS, type ProposalMode } from '@iodine/contracts'
import { isApiError } from '@iodine/mfe-kit'
import { TEXTS } from './proposal-texts'

/** A request for proposals as the form has it. */
export interface ProposalDraft {
  kind: 'text' | 'narrative' | 'evidence'
  text: string
  narrativeId: string
  mode: ProposalMode
}

/** Returns the body of the request; null while the form is incomplete or the text is too long. */
export const requestOf = ({
  kind,
  text,
  narrativeId,
  mode,
}: ProposalDraft): BodyOf<typeof campaignsApi.propose> | null => {
  if (kind === 'evidence') return { evidence: true, mode }
  if (kind === 'narrative') return narrativeId === '' ? null : { narrative_id: narrativeId, mode }
  return text.trim() === '' || text.length > LIMITS.narrativeTextMax ? null : { text, mode }
}

const { errors } = TEXTS

const ofStatus = (status: number, detail: string): string | undefined =>
  ({
    400: errors.noKey,
    404: errors.gone,
    409: detail === DETAILS.proposalSourceGone ? errors.gone : errors.changed,
    413: errors.full,
    422: errors.noSentence,
    429: detail === DETAILS.proposalRunning ? errors.running : errors.hour(LIMITS.proposalsAnHour),
  })[status]

/** Returns the text of a failed request. */
export const errorText = (error: unknown): string =>
  (isApiError(error) && ofStatus(error.status, String(error.detail ?? ''))) || errors.other
