import { Button } from '@iodine/ui'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { defineParcel, useAction, useHost } from '../src'
import { useQuery } from '../src/query'
import { openSection } from '../testing'

const KEY = ['days']

function Page() {
  const { api } = useHost()
  const { data } = useQuery({ queryKey: KEY, queryFn: () => api.call('GET /iods/days') })
  const action = useAction({
    mutationFn: (id: string) => api.call('DELETE /campaigns/:id', { params: { id } }),
    done: (_, id) => `Deleted ${id}`,
    failed: { description: 'Not deleted', duration: 3000 },
    invalidates: [KEY],
  })
  return (
    <>
      <Button text="Delete" loading={action.isPending} onClick={() => void action.run('one')} />
      {data && 'read'}
    </>
  )
}
const PATH = '/dashboard/days'
const parcel = defineParcel({ '/': Page })
const press = () => fireEvent.click(screen.getByRole('button'))

test('shows the toast of a success and stays pending until the invalidated queries are refetched', async () => {
  let release = () => {}
  let reads = 0
  const { calls, toasts } = await openSection(parcel, PATH, PATH, {
    'GET /iods/days': async () => {
      if (++reads > 1) await new Promise<void>(resolve => (release = resolve))
      return [200, []]
    },
    'DELETE /campaigns/:id': [200, null],
  })
  await screen.findByText('read', { exact: false })
  press()
  await waitFor(() => expect(reads).toBe(2))
  expect(toasts).toEqual([{ title: 'Deleted one', status: 'success' }])
  expect(screen.getByRole('button').className).toContain('loading')
  release()
  await waitFor(() => expect(screen.getByRole('button').className).not.toContain('loading'))
  expect(calls.map(({ route }) => route)).toEqual([
    'GET /iods/days',
    'DELETE /campaigns/:id',
    'GET /iods/days',
  ])
})

test.each([
  [[409, { detail: 'In use' }], [{ title: 'Error', description: 'In use', status: 'error', duration: 3000 }]],
  [[500], [{ title: 'Error', description: 'Not deleted', status: 'error', duration: 3000 }]],
  [[401, { detail: 'Invalid token' }], []],
] as const)(
  'shows the server’s detail or the action’s text on a failure, and nothing on a 401 (%j)',
  async (answer, expected) => {
    const { calls, toasts } = await openSection(parcel, PATH, PATH, {
      'GET /iods/days': [200, []],
      'DELETE /campaigns/:id': [...answer] as [number, unknown?],
    })
    await screen.findByText('read', { exact: false })
    press()
    await waitFor(() => expect(calls.filter(({ route }) => route === 'GET /iods/days')).toHaveLength(2))
    expect(toasts).toEqual(expected)
  },
)
