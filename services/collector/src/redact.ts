import { capturesInternal, evidenceInternal, LIMITS } from '@iodine/contracts'
import { HttpError, isNotFound, type Peers } from '@iodine/service-kit'

const USAGE = `evidence redact ID REASON     ID: a capture's or a piece of evidence's; REASON: up to ${LIMITS.reasonMax} characters`

/** An erasure may have to wait for a store of blobs. */
const ERASE_MS = 60_000

/** Validates the arguments before any request. Returns the fault, if any. */
export const evidenceUsage = ([action, id = '', ...words]: string[]): string | undefined => {
  const reason = words.join(' ').trim()
  if (action !== 'redact' || reason === '' || reason.length > LIMITS.reasonMax) return USAGE
  return /^[0-9a-f]{24}$/i.test(id) ? undefined : `${id} is not the id of a capture or of evidence`
}

/**
 * The operator's command for people who are quoted: erases a capture and all evidence that quotes it, or one piece
 * of evidence, by calling the running services. May be repeated. Resolves to the exit code.
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
    const capture = await peers
      .call('collector', capturesInternal.redactCapture, { params: { id }, body: { reason }, ms: ERASE_MS })
      .catch(error => {
        if (isNotFound(error)) return undefined
        throw error
      })
    const { deleted } = await peers.call('iods', evidenceInternal.redactEvidence, {
      body: { id },
      ms: ERASE_MS,
    })
    if (!capture && deleted === 0) {
      say(`There is neither a capture nor evidence ${id}.`)
      return 1
    }
    if (capture) {
      const left = capture.seq === null ? '' : ` Its leaf ${capture.seq} stays in the log.`
      say(`Capture ${id} is erased: blobs, manifest and salt.${left}`)
    }
    say(`Evidence deleted: ${deleted}.`)
    return 0
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    say(`A service that is needed is down: try again. (${error.status})`)
    return 1
  }
}
