import { auditLogUsage, runAuditLog } from '@iodine/auth'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'

/**
 * The command `npm run audit-log`.
 * @param env the same as for npm start
 * @param say prints a line
 * @returns the exit code
 */
export const auditLog = async (args: string[], env: Env, say: (line: string) => void): Promise<number> => {
  const fault = auditLogUsage(args)
  if (fault === undefined) return onServices(env, say, peers => runAuditLog(peers, args, { say }))
  say(fault)
  return 2
}
