import { evidenceUsage, runEvidence } from '@iodine/collector'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'

/**
 * Runs the command `npm run evidence`.
 * @param env the same as for npm start
 * @param say prints a line
 * @returns the exit code
 */
export const evidence = async (args: string[], env: Env, say: (line: string) => void): Promise<number> => {
  const fault = evidenceUsage(args)
  if (fault === undefined) return onServices(env, say, peers => runEvidence(peers, args, { say }))
  say(fault)
  return 2
}
