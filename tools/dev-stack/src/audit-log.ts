import { auditLogUsage, runAuditLog } from '@iodine/auth'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'

/**
 * Runs the command `npm run audit-log`.
 * @param env the same as for npm start
 * @param say prints a line
 * @returns the exit code: 1 if the chain is broken, 2 if it was not checked
 */
export const auditLog = async (args: string[], env: Env, say: (line: string) => void): Promise<number> => {
  const fault = auditLogUsage(args)
  if (fault !== undefined) {
    say(fault)
    return 2
  }
  let hasRun = false
  const code = await onServices(env, say, peers => {
    hasRun = true
    return runAuditLog(peers, args, { say })
  })
  return hasRun ? code : 2
}
