import type { AdminFailedWork } from '@iodine/contracts'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { user as member, openApp } from './harness'

const work: AdminFailedWork = {
  service: 'iods',
  id: 'a'.repeat(24),
  kind: 'iod.created',
  error: '<b>not like this</b>',
  attempts: 3,
  created_at: '2026-11-01T00:00:00.000Z',
  failed_at: '2026-11-01T00:01:00.000Z',
}

const open = (all: () => AdminFailedWork[], settle: (body: unknown) => [number, object]) =>
  openApp(
    '/dashboard/admin?tab=system',
    {
      'GET /profile/me': [200, { ...member, is_admin: true }],
      'GET /admin/parts': [200, []],
      'GET /admin/queues': [200, []],
      'GET /admin/backups': [200, []],
      'GET /admin/failed-work': () => [200, all()],
      'POST /admin/failed-work/:service/:id': ({ body }) => settle(body),
    },
    { token: 't' },
  )

test('retries failed work, or removes it after a confirmation', async () => {
  let all = [work, { ...work, id: 'b'.repeat(24), kind: 'a.later-kind', service: 'auth' }]
  const done: unknown[] = []
  await open(
    () => all,
    body => {
      done.push(body)
      all = all.slice(1)
      return [200, { done: true }]
    },
  )
  await screen.findByText('New IODs for the community')
  expect(screen.getAllByText(work.error)).toHaveLength(2)
  fireEvent.click(screen.getByRole('button', { name: 'Retry New IODs for the community' }))
  await screen.findByText('Retry started')
  await waitFor(() => expect(screen.queryByText('New IODs for the community')).toBeNull())
  fireEvent.click(screen.getByRole('button', { name: 'Remove a.later-kind' }))
  const question = within(await screen.findByRole('dialog', { name: 'Remove failed work' }))
  fireEvent.click(question.getByRole('button', { name: 'Remove' }))
  await screen.findByText('Failed work removed')
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Failed work' })).toBeNull())
  expect(done).toEqual([{ action: 'retry' }, { action: 'drop' }])
})

test('shows an error and keeps the work if the action fails', async () => {
  await open(
    () => [work],
    () => [404, { detail: 'Nobody has it' }],
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Retry New IODs for the community' }))
  await screen.findByText('Nobody has it')
  screen.getByText('New IODs for the community')
})
