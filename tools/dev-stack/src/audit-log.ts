import { auditLogUsage, runAuditLog } from '@iodine/auth'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'

/**
 * The command `npm run audit-log`.
 * @param env the same as for npm start
 * @param say prints a line
 * @returns the exit code: 1 says that the chain is broken, 2 that it was not checked
 */
export const auditLog = async (args: string[], env: Env, say: (line: string) => void): Promise<number> => {
  const fault = auditLogUsage(args)
  if (fault !== undefined) {
    say(fault)
    return 2
  }
  let isAsked = false
  const code = await onServices(env, say, peers => {
    isAsked = true
    return runAuditLog(peers, args, { say })
  })
  return isAsked ? code : 2
}
