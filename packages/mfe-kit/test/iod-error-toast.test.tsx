import { anIod } from '@iodine/test-kit/iods'
import { Button } from '@iodine/ui'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { ApiError, defineParcel, paths, SectionLink, useHost } from '../src'
import { useIodErrorToast } from '../src/iod-error-toast'
import { type Answer, openSection, type Routes } from '../testing'

const QUOTE = {
  record: { source: 'tiktok', id: 'a'.repeat(24) },
  start: 0,
  end: 8,
  exact: '#Mirrors',
} as const
const MIRRORS = { value: ' #Mirrors ', category: 'HASHTAGS' } as const

function Page() {
  const { notify } = useHost()
  const toastOf = useIodErrorToast()
  const [isAdded, setAdded] = useState(false)
  const fail = (status: number, detail: string) =>
    notify(toastOf(new ApiError(status, detail), MIRRORS, 'Failed', { title: 'Erreur' }))
  return (
    <>
      <Button text="twice" onClick={() => fail(409, 'This IOD already exists')} />
      <Button
        text="quote"
        onClick={() => {
          const conflict = new ApiError(409, 'This IOD already exists')
          notify(toastOf(conflict, MIRRORS, 'Failed', {}, { quote: QUOTE, onAdded: () => setAdded(true) }))
        }}
      />
      {isAdded && 'added'}
      <Button text="wrong" onClick={() => fail(422, 'value: must not be empty')} />
      <SectionLink to={paths.campaigns({ search: 'lake' })}>Campaign</SectionLink>
    </>
  )
}
const parcel = defineParcel({ '/': Page })
const open = (lookup: Answer = [200, []], routes: Routes = {}) =>
  openSection(parcel, '/dashboard/data', '/dashboard/data?q=lake', { 'POST /iods/lookup': lookup, ...routes })
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))

test('opens the side panel of an existing IOD from its toast; other toasts have no button', async () => {
  const existing = anIod({ value: 'mirrors', category: 'HASHTAGS' })
  const others = [
    anIod({ value: '#mirrors', category: 'KEYWORDS' }),
    anIod({ value: 'mirrors', category: 'TITLE' }),
  ]
  const { toasts, calls, path } = await open([200, [...others, existing]])
  await press('wrong')
  expect(toasts).toEqual([{ title: 'Erreur', description: 'value: must not be empty', status: 'error' }])
  await press('twice')
  expect(toasts[1]).toMatchObject({
    title: 'Erreur',
    description: 'This IOD already exists',
    status: 'error',
  })
  expect(toasts[1]?.action?.text).toBe('Open IOD')
  expect(calls).toEqual([])
  toasts[1]?.action?.onClick()
  await waitFor(() => expect(path()).toBe(`/dashboard/iods/${existing.id}`))
  expect(calls.map(({ body }) => body)).toEqual([{ values: ['#mirrors'] }])
})

test.each([201, 409])(
  'adds the quote to the existing IOD, and treats a duplicate quote as success (%i)',
  async status => {
    const existing = anIod({ value: 'mirrors', category: 'HASHTAGS' })
    const { toasts, calls, path } = await open([200, [existing]], {
      'POST /iods/:id/evidence': [status, { detail: 'This quote is already evidence of this IOD' }],
    })
    await press('quote')
    expect(toasts[0]?.actions?.map(({ text }) => text)).toEqual([
      'Open IOD',
      'Add your quote to the existing IOD',
    ])
    toasts[0]?.actions?.[1]?.onClick()
    await screen.findByText('added')
    const quoted = calls.find(({ route }) => route === 'POST /iods/:id/evidence')
    expect([quoted?.params.id, quoted?.body]).toEqual([existing.id, QUOTE])
    expect(toasts[1]).toMatchObject({ status: 'success', action: { text: 'View' } })
    toasts[1]?.action?.onClick()
    await waitFor(() => expect(path()).toBe(`/dashboard/iods/${existing.id}`))
  },
)

test('shows an error if the quote is rejected or the IOD does not exist any more', async () => {
  const existing = anIod({ value: 'mirrors', category: 'HASHTAGS' })
  const refused = await open([200, [existing]], { 'POST /iods/:id/evidence': [413, { detail: 'Too many' }] })
  await press('quote')
  refused.toasts[0]?.actions?.[1]?.onClick()
  await waitFor(() =>
    expect(refused.toasts[1]).toMatchObject({ title: 'Unable to add your quote', description: 'Too many' }),
  )
  const gone = await open()
  await press('quote')
  gone.toasts[0]?.actions?.[1]?.onClick()
  await waitFor(() => expect(gone.toasts[1]?.description).toBe('Unable to add your quote'))
  expect(screen.queryByText('added')).toBeNull()
})

test('shows an error if the lookup does not find the IOD', async () => {
  const { toasts, path } = await open()
  await press('twice')
  toasts[0]?.action?.onClick()
  await waitFor(() => expect(toasts[1]?.description).toBe('Unable to open the IOD'))
  expect(path()).toBe('/dashboard/data')
})

test('lets the host open a link to another section, and the browser a new tab', async () => {
  const { path, search } = await open()
  const link = await screen.findByRole('link', { name: 'Campaign' })
  expect(link.getAttribute('href')).toBe('/dashboard/campaigns?search=lake')
  expect(fireEvent.click(link, { ctrlKey: true })).toBe(true)
  expect(path()).toBe('/dashboard/data')
  expect(fireEvent.click(link)).toBe(false)
  expect(path() + search()).toBe('/dashboard/campaigns?search=lake')
})
