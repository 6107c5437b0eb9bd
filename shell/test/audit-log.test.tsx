import type { AuditItem, AuditState } from '@iodine/contracts'
import type { Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { actionOf, faultOf, filtersOf } from '../src/pages/admin/audit-words'
import { user as member, openApp } from './harness'

const user = { ...member, is_admin: true }
const entry: AuditItem = {
  id: 'e'.repeat(24),
  at: new Date(Date.now() - 3_600_000).toISOString(),
  action: 'campaign.exported',
  outcome: 'done',
  actor: { kind: 'user', id: 'b'.repeat(24) },
  via: 'web',
  network: '192.0.2.0/24',
  subject: { kind: 'campaign', id: 'c'.repeat(24) },
  item: null,
  count: 1_234,
  times: 1,
  detail: 'csv',
  request_id: '01234567-89ab-cdef-0123-456789abcdef',
  seq: 7,
  prev: '0'.repeat(64),
  hash: '1'.repeat(64),
  actor_account: { username: 'ana_writer', deleted: false },
  subject_account: null,
}
const state: AuditState = {
  fault: null,
  entries: 7,
  // Noon in the local time zone: the same day in every time zone.
  since: new Date(2026, 10, 1, 12).toISOString(),
  head: { seq: 7, hash: '1'.repeat(64) },
  checked_at: new Date().toISOString(),
}
const open = (routes: Routes, more = '') =>
  openApp(
    `/dashboard/admin?tab=audit-log${more}`,
    {
      'GET /profile/me': [200, user],
      'GET /admin/audit/state': [200, state],
      'GET /admin/audit': [200, [entry]],
      ...routes,
    },
    { token: 't' },
  )

test('shows actor, action and target of entries, and all fields in the details', async () => {
  const gone: AuditItem = {
    ...entry,
    id: 'f'.repeat(24),
    seq: 6,
    action: 'account.suspended',
    actor: { kind: 'operator', id: null },
    actor_account: null,
    via: null,
    network: null,
    detail: null,
    count: null,
    outcome: 'unknown',
    subject: { kind: 'account', id: 'd'.repeat(24) },
    subject_account: { username: null, deleted: true },
  }
  await open({ 'GET /admin/audit': [200, [entry, gone]] })
  const table = within(await screen.findByRole('table'))
  const rows = table.getAllByRole('row').slice(1)
  const cells = rows.map(row =>
    within(row)
      .getAllByRole('cell')
      .slice(1)
      .map(cell => cell.textContent),
  )
  expect(cells).toEqual([
    [
      '@ana_writerbrowser, 192.0.2.0/24',
      'Campaign exported (csv)',
      `Campaign${'c'.repeat(24)}`,
      '1,234',
      'Details',
    ],
    ['Operator', 'Account suspendedOutcome unknown', `Deleted account${'d'.repeat(24)}`, '—', 'Details'],
  ])
  await screen.findByText(/^Log verified: .* 7 entries since Nov 1, 2026\./)
  fireEvent.click(screen.getByRole('button', { name: 'Details of entry 7' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Audit Log Entry' }))
  for (const text of [entry.request_id, entry.hash, entry.prev, entry.id, 'Done'])
    dialog.getByText(String(text))
})

test('sends filters to the API and stores them in the URL, except invalid ones', async () => {
  const { calls } = await open({}, '&by=%40ana_writer')
  const queries = () =>
    calls.filter(({ route }) => route === 'GET /admin/audit').map(({ search }) => Object.fromEntries(search))
  await screen.findByText('@ana_writer')
  expect(queries().at(-1)).toMatchObject({ actor: 'ana_writer' })
  fireEvent.change(screen.getByLabelText('Action'), { target: { value: 'campaign.exported' } })
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-11-30' } })
  await waitFor(() =>
    expect(queries().at(-1)).toMatchObject({
      actor: 'ana_writer',
      action: 'campaign.exported',
      to: new Date('2026-11-30T23:59:59.999').toISOString(),
    }),
  )
  expect(window.location.search).toContain('action=campaign.exported')
  fireEvent.change(screen.getByLabelText('Actor type'), { target: { value: 'user' } })
  await waitFor(() => expect(queries().at(-1)).toMatchObject({ actor_kind: 'user', actor: 'ana_writer' }))
  fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
  await waitFor(() => expect(window.location.search).toBe('?tab=audit-log'))
  await waitFor(() => expect((screen.getByLabelText('Actor') as HTMLInputElement).value).toBe(''))
  const nothing = { action: 'none', kind: 'none', by: ' @ ', about: ' ', from: '2026-13-01', to: '2026' }
  expect(filtersOf(nothing)).toEqual({})
  expect(actionOf({ action: 'account.limits-changed', detail: 'iods_today' })).toBe(
    'Limits of an account changed (iods today)',
  )
})

test('stores fields that are filled at once in the URL', async () => {
  await open({})
  fireEvent.change(await screen.findByLabelText('Actor'), { target: { value: '@ana_writer ' } })
  fireEvent.change(screen.getByLabelText('Target'), { target: { value: 'bob' } })
  fireEvent.change(screen.getByLabelText('Action'), { target: { value: 'campaign.exported' } })
  await waitFor(() =>
    expect(Object.fromEntries(new URLSearchParams(window.location.search))).toEqual({
      tab: 'audit-log',
      action: 'campaign.exported',
      by: '@ana_writer',
      about: 'bob',
    }),
  )
})

test('shows a damaged chain, a failed request and an empty log', async () => {
  let broken = true
  await open({
    'GET /admin/audit/state': [200, { ...state, fault: { seq: 5, kind: 'missing' } }],
    'GET /admin/audit': () => (broken ? [503, { detail: 'Not now' }] : [200, []]),
  })
  await screen.findByText(/The log is damaged: entry 5 is missing\./)
  await screen.findByText('Unable to load the audit log')
  broken = false
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await screen.findByText('No entries yet')
})

test('describes a changed and a moved entry', () => {
  expect(faultOf({ seq: 5, kind: 'changed' })).toContain('The log is damaged: entry 5 was changed. ')
  expect(faultOf({ seq: 5, kind: 'moved' })).toContain(
    'The log is damaged: entry 5 does not follow the previous entry. ',
  )
})

test('downloads the log with its filters, and shows an error on failure', async () => {
  let fails = true
  const { calls } = await open(
    { 'GET /admin/audit/export': () => (fails ? [429, { detail: 'One at a time' }] : [200, 'seq\r\n']) },
    '&action=campaign.exported',
  )
  const button = await screen.findByRole('button', { name: 'Download CSV' })
  fireEvent.click(button)
  await screen.findByText('One at a time')
  fails = false
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false))
  fireEvent.click(button)
  await waitFor(() =>
    expect(calls.filter(({ route }) => route === 'GET /admin/audit/export')).toHaveLength(2),
  )
  for (const call of calls.filter(({ route }) => route === 'GET /admin/audit/export'))
    expect(Object.fromEntries(call.search)).toEqual({ action: 'campaign.exported' })
})
