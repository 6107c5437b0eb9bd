import type { Subscription } from '@iodine/contracts'
import type { Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { intervalOf, outcomeOf } from '../src/pages/admin/subscriptions'
import { user as member, openApp } from './harness'

const user = { ...member, is_admin: true }
const subscription: Subscription = {
  id: 'e'.repeat(24),
  url: 'https://feed.example/api/collections/1/',
  kind: 'taxii',
  campaign_id: 'f'.repeat(24),
  campaign_name: 'Lake',
  username: 'the_boss',
  has_secret: true,
  public_key: null,
  every: 60,
  paused: false,
  state: 'waiting',
  // Computed per response, so that it is always in the future.
  get next_at() {
    return new Date(Date.now() + 30 * 60_000).toISOString()
  },
  last: {
    at: new Date().toISOString(),
    error: null,
    objects: 3,
    iods: 2,
    skipped: 0,
    refused: 0,
    invalid: [],
    unknown_techniques: [],
  },
  kept: 12,
  created_at: '2026-11-01T00:00:00.000Z',
}
const open = (routes: Routes) =>
  openApp('/dashboard/admin?tab=subscriptions', { 'GET /profile/me': [200, user], ...routes }, { token: 't' })

test('shows the last and next run of subscriptions; runs, pauses and deletes them', async () => {
  let all: Subscription[] = [subscription]
  const { calls } = await open({
    'GET /campaigns/subscriptions': () => [200, all],
    'POST /campaigns/subscriptions/:id/run': [202, { ...subscription, state: 'fetching' }],
    'PATCH /campaigns/subscriptions/:id': ({ body }) => {
      all = [{ ...subscription, ...(body as { paused: boolean }), next_at: null }]
      return [200, all[0]]
    },
    'DELETE /campaigns/subscriptions/:id': () => {
      all = []
      return [200, { id: subscription.id }]
    },
  })
  await screen.findByText(subscription.url)
  screen.getByText('3 new objects, including 2 IODs')
  screen.getByText('in 30 min')
  screen.getByText('every hour')
  fireEvent.click(screen.getByRole('button', { name: `Pull ${subscription.url} now` }))
  await screen.findByText('The feed is being pulled')
  fireEvent.click(screen.getByRole('button', { name: `Pause ${subscription.url}` }))
  await screen.findByText('Paused')
  fireEvent.click(screen.getByRole('button', { name: `Delete ${subscription.url}` }))
  const question = within(await screen.findByRole('dialog', { name: 'Delete subscription' }))
  fireEvent.click(question.getByRole('button', { name: 'Delete' }))
  await screen.findByText('No subscriptions yet')
  expect(calls.filter(({ route }) => route.startsWith('PATCH')).map(({ body }) => body)).toEqual([
    { paused: true },
  ])
})

test('shows skipped entries of a run with their reasons', async () => {
  const last = {
    ...(subscription.last as NonNullable<Subscription['last']>),
    skipped: 2,
    invalid: [{ place: 'Event 1', value: '', reason: 'The file is not UTF-8.' }],
    unknown_techniques: ['T0019'],
  }
  await open({ 'GET /campaigns/subscriptions': [200, [{ ...subscription, last }]] })
  await screen.findByText('3 new objects, including 2 IODs, 2 skipped')
  fireEvent.click(screen.getByRole('button', { name: `Show reasons of ${subscription.url}` }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Last run' }))
  dialog.getByRole('row', { name: 'Event 1 The file is not UTF-8.' })
  dialog.getByText(/^Skipped 2 unreadable parts of the feed/)
  dialog.getByText(/T0019$/)
  dialog.getByText('and 1 more')
})

test('marks missing fields of a new subscription, and keeps its key out of the URL', async () => {
  const asked: unknown[] = []
  await open({
    'GET /campaigns/subscriptions': [200, []],
    'GET /campaigns': [
      200,
      [
        {
          id: subscription.campaign_id,
          name: 'Lake',
          description: '',
          created_by: user.id,
          created_by_username: 'the_boss',
          created_at: subscription.created_at,
          iod_count: 0,
        },
      ],
    ],
    'POST /campaigns/subscriptions': ({ body }) => {
      asked.push(body)
      return [201, subscription]
    },
  })
  fireEvent.click(await screen.findByRole('button', { name: 'Subscribe to a feed' }))
  const form = within(await screen.findByRole('dialog', { name: 'Subscribe to a Feed' }))
  const submit = () => fireEvent.click(form.getByRole('button', { name: 'Subscribe' }))
  fireEvent.change(form.getByLabelText(/^URL/), { target: { value: 'https://a:b@feed.example/' } })
  submit()
  await screen.findByText(/must begin with https/)
  fireEvent.change(form.getByLabelText(/^URL/), { target: { value: subscription.url } })
  fireEvent.change(form.getByLabelText(/^Key or password/), { target: { value: 'secret' } })
  submit()
  await screen.findByText('Choose a campaign for the feed')
  fireEvent.click(await form.findByRole('radio', { name: /Lake/ }))
  submit()
  await waitFor(() =>
    expect(asked).toEqual([
      {
        kind: 'taxii',
        url: subscription.url,
        campaign_id: subscription.campaign_id,
        every: 60,
        public_key: null,
        secret: { user: '', key: 'secret' },
      },
    ]),
  )
})

test('describes runs and intervals', () => {
  const of = (more: Partial<Subscription>) => outcomeOf({ ...subscription, ...more })
  expect(of({ state: 'fetching' })).toBe('Fetching now')
  expect(of({ state: 'importing' })).toBe('Importing now')
  expect(of({ last: null })).toBe('Not run yet')
  const nothing = {
    at: '2026-11-01T00:00:00.000Z',
    error: null,
    objects: 0,
    iods: 0,
    skipped: 0,
    refused: 0,
    invalid: [],
    unknown_techniques: [],
  }
  expect(of({ last: { ...nothing, error: 'The host name is not known' } })).toBe('The host name is not known')
  expect(of({ last: nothing })).toBe('Nothing new')
  expect(of({ last: { ...nothing, objects: 1 } })).toBe('1 new object')
  expect([intervalOf(60), intervalOf(90), intervalOf(1_440)]).toEqual(['hour', '90 minutes', 'day'])
})
