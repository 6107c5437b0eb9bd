import type { AdminQueue, PartState } from '@iodine/contracts'
import type { Routes } from '@iodine/mfe-kit/testing'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { user as member, openApp } from './harness'

const part = (name: string, started_at: string, mebibytes: number): PartState => ({
  name,
  state: 'up',
  dependencies: { mongo: 'up' },
  process: { started_at, memory_bytes: mebibytes * 2 ** 20, event_loop_p99_ms: 14 },
})
const START = '2026-11-01T00:00:00.000Z'
const LATER = '2026-11-01T00:00:00.001Z'
const queue: AdminQueue = {
  name: 'anchors',
  jobs: { waiting: 0, active: 0, delayed: 1, failed: 0 },
  oldest_seconds: 0,
  every_ms: 3_600_000,
  last_failure: null,
}
const open = (routes: Routes) =>
  openApp(
    '/dashboard/admin?tab=system',
    {
      'GET /profile/me': [200, { ...member, is_admin: true }],
      'GET /admin/backups': [200, []],
      'GET /admin/parts': [200, []],
      'GET /admin/queues': [200, []],
      'GET /admin/failed-work': [200, []],
      ...routes,
    },
    { token: 't' },
  )
const headersOf = async (label: string) =>
  within(await screen.findByRole('region', { name: label }))
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent)

test('shows backups first, and queues with labels', async () => {
  const unknown = { ...queue, name: 'new-queue' }
  await open({ 'GET /admin/queues': [200, [queue, unknown]] })
  await screen.findByText('Timestamps of sealed evidence')
  screen.getByText('new-queue')
  screen.getByText(/^No backup is known\./)
  const headings = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)
  expect(headings).toEqual(['Backups', 'Services', 'Queues'])
})

test('shows memory and delay of a shared process once', async () => {
  const down: PartState = { name: 'iods', state: 'down', dependencies: null, process: null }
  const parts = [part('auth', START, 354), part('campaigns', START, 355), down]
  await open({ 'GET /admin/parts': [200, parts] })
  const note = await screen.findByText(/^All services run in one process\./)
  expect(note.textContent).toMatch(/Memory: 354 MiB\. Event-loop delay \(p99\): 14 ms\.$/)
  expect(await headersOf('Services')).toEqual(['Service', 'State', 'Dependencies'])
})

test('shows memory and delay of each process separately', async () => {
  await open({ 'GET /admin/parts': [200, [part('auth', START, 354), part('campaigns', LATER, 120)]] })
  await screen.findByText('354 MiB')
  screen.getByText('120 MiB')
  expect(screen.queryByText(/^All services run in one process\./)).toBeNull()
  expect(await headersOf('Services')).toContain('Event-loop delay (p99)')
})
