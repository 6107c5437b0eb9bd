import { createHash } from 'node:crypto'
import {
  auditInternal,
  type BodyOf,
  OPEN_SETTINGS,
  SECRET_SETTINGS,
  type SettingChange,
} from '@iodine/contracts'
import type { Peers } from '../http/peers.js'

const FIRST_MS = 1_000
const LAST_MS = 60_000

type Report = BodyOf<typeof auditInternal.reportSettings>
/** Receiver of a report. */
export type SettingsSink = (report: Report) => Promise<unknown>

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** Returns the settings that a part has started with: digests of values, and only the presence of secrets. */
export const settingsReport = (part: string, config: object): Report => {
  const values = config as Partial<Record<SettingChange['name'], unknown>>
  const open = OPEN_SETTINGS.filter(name => values[name] !== undefined)
  const secret = SECRET_SETTINGS.filter(name => values[name] !== undefined)
  return {
    part,
    settings: [
      ...open.map(name => ({ name, digest: digestOf(values[name]) })),
      ...secret.map(name => ({ name, digest: null })),
    ],
  }
}

interface ReportOptions {
  part: string
  config: object
  peers: Peers
  /** Replaces the call to the auth service, in that service itself. */
  to?: SettingsSink | undefined
}

/**
 * Reports the settings of a part to the audit log, with retries until it is delivered. The log compares them with the
 * part's last start, so that the next start makes up for a lost report.
 * @returns a function that stops the retries
 */
export const startSettingsReport = ({ part, config, peers, to }: ReportOptions): (() => void) => {
  const body = settingsReport(part, config)
  const send = to ?? (() => peers.call('auth', auditInternal.reportSettings, { body }))
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const attempt = (waitMs: number) =>
    void send(body).catch(() => {
      if (isStopped) return
      timer = setTimeout(attempt, waitMs, Math.min(LAST_MS, 2 * waitMs))
      timer.unref()
    })
  attempt(FIRST_MS)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}
