import { type AccountIo, accountUsage, runAccount } from '@iodine/auth'
import { onServices } from './on-services.js'
import type { Env } from './parts.js'

/**
 * The command `npm run account`.
 * @param env the same as for npm start
 * @returns the exit code
 */
export const account = async (args: string[], env: Env, io: AccountIo): Promise<number> => {
  const fault = accountUsage(args)
  if (fault === undefined) return onServices(env, io.say, peers => runAccount(peers, args, io))
  io.say(fault)
  return 2
}
