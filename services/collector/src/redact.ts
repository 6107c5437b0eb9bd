import { capturesInternal, evidenceInternal, LIMITS, techniquesInternal } from '@iodine/contracts'
import { HttpError, ifFound, type Peers } from '@iodine/service-kit'

const USAGE = `evidence redact ID REASON     ID: of a capture or of evidence; REASON: up to ${LIMITS.reasonMax} characters`

/** Timeout of an erasure, which may wait for the blob store. */
const ERASE_MS = 60_000

/** Validates the arguments. Returns the error message, if any. */
export const evidenceUsage = ([action, id = '', ...words]: string[]): string | undefined => {
  const reason = words.join(' ').trim()
  if (action !== 'redact' || reason === '' || reason.length > LIMITS.reasonMax) return USAGE
  return /^[0-9a-f]{24}$/i.test(id) ? undefined : `${id} is not the id of a capture or of evidence`
}

/**
 * Erases a capture and all evidence and techniques' quotes of it, or one piece of evidence with its quotes, or one
 * quote, through the running services. Operators use it for requests of quoted people. Idempotent. Resolves to the exit
 * code.
 */
export const runEvidence = async (
  peers: Peers,
  args: string[],
  { say }: { say(line: string): void },
): Promise<number> => {
  const fault = evidenceUsage(args)
  if (fault !== undefined) {
    say(fault)
    return 2
  }
  const [, id = '', ...words] = args
  const reason = words.join(' ').trim()
  try {
    const capture = await ifFound(
      peers.call('collector', capturesInternal.redactCapture, {
        params: { id },
        body: { reason },
        ms: ERASE_MS,
      }),
    )
    const { deleted } = await peers.call('iods', evidenceInternal.redactEvidence, {
      body: { id },
      ms: ERASE_MS,
    })
    const quotes = await peers.call('campaigns', techniquesInternal.redactQuotes, {
      body: { id },
      ms: ERASE_MS,
    })
    if (!capture && deleted + quotes.deleted === 0) {
      say(`There is neither a capture nor evidence ${id}.`)
      return 1
    }
    if (capture) {
      const left = capture.seq === null ? '' : ` Its leaf ${capture.seq} stays in the log.`
      say(`Capture ${id} is erased: blobs, manifest and salt.${left}`)
    }
    say(`Evidence deleted: ${deleted}.`)
    if (quotes.deleted > 0) say(`Quotes of techniques deleted: ${quotes.deleted}.`)
    return 0
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    say(`A required service is down: try again. (${error.status})`)
    return 1
  }
}
