import type { MailMode } from '@iodine/contracts'
import { DateTime } from 'luxon'

const HOUR = 7
const MONDAY = 1

/** Returns the time of the next digest after `now`: 07:00 in the zone, on Mondays if weekly; null without digests. */
export const nextDigest = (mode: MailMode, zone: string, now: Date): Date | null => {
  if (mode !== 'daily' && mode !== 'weekly') return null
  const local = DateTime.fromJSDate(now, { zone })
  const today = local.set({ hour: HOUR, minute: 0, second: 0, millisecond: 0 })
  const next = today > local ? today : today.plus({ days: 1 })
  const ahead = mode === 'weekly' ? (MONDAY - next.weekday + 7) % 7 : 0
  return next.plus({ days: ahead }).toJSDate()
}
