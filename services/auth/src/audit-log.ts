import { type AuditState, auditInternal } from '@iodine/contracts'
import { HttpError, type Peers } from '@iodine/service-kit'

const USAGE = `audit-log verify [SEQ:HASH]     SEQ:HASH: the end of the log that an earlier run printed`

/** Timeout in milliseconds: the log contains a year of entries. */
const VERIFY_MS = 600_000

const FAULTS: Record<NonNullable<AuditState['fault']>['kind'], string> = {
  changed: 'its content was changed after it was appended',
  missing: 'it is missing',
  moved: 'it does not follow the entry before it',
}

const headOf = (text: string): AuditState['head'] | undefined => {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return seq === undefined || hash === undefined ? undefined : { seq: Number(seq), hash }
}

/** Validates the arguments before any request. Returns the fault, if any. */
export const auditLogUsage = ([action, noted, more]: string[]): string | undefined => {
  if (action !== 'verify' || more !== undefined) return USAGE
  return noted === undefined || headOf(noted) ? undefined : `${noted} is not SEQ:HASH`
}

/**
 * Runs the operator's command that checks the chain of the audit log in the running auth service. Resolves to the exit
 * code: 0 for an intact chain, 1 for a fault, 2 if the chain or the given end was not checked.
 */
export const runAuditLog = async (
  peers: Peers,
  args: string[],
  { say }: { say(line: string): void },
): Promise<number> => {
  const fault = auditLogUsage(args)
  if (fault !== undefined) {
    say(fault)
    return 2
  }
  const head = headOf(args[1] ?? '')
  try {
    const state = await peers.call('auth', auditInternal.verifyAudit, {
      body: head ? { head } : {},
      ms: VERIFY_MS,
    })
    if (state.fault) {
      say(`The chain of the audit log is broken at entry ${state.fault.seq}: ${FAULTS[state.fault.kind]}.`)
      say(`The ${state.entries} entries before it are intact.`)
      return 1
    }
    const since = state.since === null ? '' : ` since ${state.since}`
    say(`The chain of the audit log is intact: ${state.entries} entries${since}.`)
    say(`Its end, for the next check: ${state.head.seq}:${state.head.hash}`)
    if (!head || head.seq >= state.head.seq - state.entries) return 0
    say(`Entry ${head.seq} has expired: its hash was not compared.`)
    say('If it was younger than 12 months at the last check, entries were removed too early.')
    return 2
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    say(`The log could not be checked: auth is down. Try again. (${error.status})`)
    return 2
  }
}
