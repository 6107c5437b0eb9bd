import type { CommunityUser, Contribution } from '@iodine/contracts'
import { type Answer, type Call, openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'

const BASE = '/dashboard/community'
const ID = 'a'.repeat(24)

const person = (n: number, fields: Partial<CommunityUser> = {}): CommunityUser => ({
  id: n.toString(16).padStart(24, '0'),
  username: `person_${n}`,
  created_at: '2026-06-17T10:00:00.000Z',
  total_contributions: 0,
  recent_contributions: [],
  ...fields,
})
const contribution = (n: number, type: Contribution['type'] = 'IOD'): Contribution => ({
  type,
  id: n.toString(16).padStart(24, '0'),
  title: `claim ${n}`,
  description: 'seen twice',
  created_at: '2026-06-17T10:00:00.000Z',
})
const open = (path: string, routes: Routes) => openSection(parcel, BASE, BASE + path, routes)

/** Returns a page of `all` like the services. The cursor is the number of preceding items. */
const page = <T,>(all: T[], search: URLSearchParams) => {
  const from = Number(search.get('cursor'))
  const to = from + Number(search.get('limit'))
  const headers: Record<string, string> = to < all.length ? { 'X-Next-Cursor': String(to) } : {}
  return { items: all.slice(from, to), headers }
}

describe('the list', () => {
  const everybody = Array.from({ length: 45 }, (_, n) => person(n))
  const users: Routes = {
    'GET /community/users': ({ search }) => {
      const found = everybody.filter(user => user.username.includes(search.get('search') ?? ''))
      const { items, headers } = page(found, search)
      return [200, { users: items, total: found.length }, headers]
    },
  }

  it('shows each user with their latest contributions', async () => {
    const one = person(1, {
      username: 'ada',
      total_contributions: 5,
      recent_contributions: [
        { type: 'IOD', id: ID, title: '<b>bold</b>' },
        { type: 'NARRATIVE', id: ID, title: 'A story' },
        { type: 'IOD', id: 'b'.repeat(24), title: 'third' },
      ],
    })
    await open('', { 'GET /community/users': () => [200, { users: [one], total: 1 }] })
    const card = await screen.findByRole('article', { name: '@ada' })
    expect(card.textContent).toContain('Since 17 juin 2026')
    expect(card.textContent).toContain('<b>bold</b>')
    expect(card.textContent).toContain('+2 other(s)...')
    const links = within(card).getAllByRole('link')
    expect(links.map(link => link.getAttribute('href'))).toEqual([
      `/dashboard/iods/${ID}`,
      `/dashboard/iods/${'b'.repeat(24)}`,
    ])
    expect(
      within(card)
        .getByRole('button', { name: /View full profile/ })
        .getAttribute('href'),
    ).toBe(`${BASE}/profile/${one.id}`)
    expect(screen.getByText('1 profile(s) found')).toBeTruthy()
  })

  it('loads the pages after the first 20 users', async () => {
    await open('', users)
    await screen.findByText('45 profile(s) found')
    expect(screen.getAllByRole('article')).toHaveLength(20)
    for (const shown of [40, 45]) {
      fireEvent.click(screen.getByRole('button', { name: 'Load more profiles' }))
      await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(shown))
    }
    expect(screen.queryByRole('button', { name: 'Load more profiles' })).toBeNull()
  })

  it('searches for terms of at least three characters, and for an empty term', async () => {
    const section = await open('', users)
    await screen.findByText('45 profile(s) found')
    const box = screen.getByRole('searchbox')
    fireEvent.change(box, { target: { value: 'pe' } })
    await new Promise(resolve => setTimeout(resolve, 400))
    expect(section.calls).toHaveLength(1)
    fireEvent.change(box, { target: { value: 'person_44' } })
    await screen.findByText('1 profile(s) found')
    expect(screen.getByText('Search: "person_44"')).toBeTruthy()
    expect(section.search()).toBe('?search=person_44')
    fireEvent.change(box, { target: { value: '' } })
    await screen.findByText('45 profile(s) found')
    expect(screen.queryByText(/^Search:/)).toBeNull()
  })

  it.each([
    ['?search=nobody', 'Try different search terms'],
    ['', 'There are no public profiles on the platform yet'],
  ])('suggests what to do if no user is found (%s)', async (search, text) => {
    await open(search, { 'GET /community/users': () => [200, { users: [], total: 0 }] })
    await screen.findByText('No profiles found')
    expect(screen.getByText(text)).toBeTruthy()
  })

  it('treats a malformed response as an empty list, and shows an error on failure', async () => {
    await open('', { 'GET /community/users': () => [200, { people: 3 }] })
    await screen.findByText('No profiles found')
    const failing = await open('', { 'GET /community/users': () => [503, { detail: 'down' }] })
    await waitFor(() =>
      expect(failing.toasts).toContainEqual(
        expect.objectContaining({ title: 'Error', description: 'Unable to load users', status: 'error' }),
      ),
    )
    expect(screen.getByRole('button', { name: 'Retry' })).toBeTruthy()
  })
})

describe('a profile', () => {
  const all = Array.from({ length: 60 }, (_, n) => contribution(n, n % 3 ? 'IOD' : 'NARRATIVE'))
  const profile = ({ search }: Call): Answer => {
    const type = search.get('contribution_type')
    const found = all.filter(each => !type || each.type === type)
    const { items, headers } = page(found, search)
    const head = { username: 'ada', created_at: all[0]?.created_at, total_iods: 40, total_narratives: 20 }
    return [200, { ...head, all_contributions: items }, headers]
  }
  const routes: Routes = {
    'GET /community/users/:id': call =>
      call.params.id === ID ? profile(call) : [404, { detail: 'Not found' }],
    'GET /community/users': () => [200, { users: [], total: 0 }],
  }
  const rows = () => within(screen.getByRole('list', { name: 'Contributions' })).getAllByRole('listitem')

  it('shows totals, pages of 50, and one type on request', async () => {
    const section = await open(`/profile/${ID}`, routes)
    await screen.findByRole('heading', { name: '@ada' })
    expect(document.body.textContent).toContain('Membre depuis 17 juin 2026')
    expect(document.body.textContent).toContain('contributions60IODs créés40analyses de narratives20')
    expect(rows()).toHaveLength(50)
    expect(rows()[0]?.textContent).toContain('seen twice')
    fireEvent.click(screen.getByRole('button', { name: 'Charger plus de contributions' }))
    await waitFor(() => expect(rows()).toHaveLength(60))
    expect(screen.queryByRole('button', { name: 'Charger plus de contributions' })).toBeNull()
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'IOD' } })
    await waitFor(() => expect(rows()).toHaveLength(40))
    expect(section.search()).toBe('?type=IOD')
  })

  it('shows the contributions of the type in the URL', async () => {
    const section = await open(`/profile/${ID}?type=NARRATIVE`, routes)
    await screen.findByRole('heading', { name: '@ada' })
    expect((screen.getByRole('combobox') as HTMLSelectElement).value).toBe('NARRATIVE')
    expect(rows()).toHaveLength(20)
    const reads = section.calls.filter(({ route }) => route === 'GET /community/users/:id')
    expect(reads.map(({ search }) => search.get('contribution_type'))).toEqual(['NARRATIVE'])
  })

  it('can be watched, unless it is the user’s own', async () => {
    const section = await open(`/profile/${ID}`, { ...routes, 'POST /watches': [201, {}] })
    const watch = await screen.findByRole('button', { name: 'Suivre' })
    await waitFor(() => expect(watch.hasAttribute('disabled')).toBe(false))
    fireEvent.click(watch)
    await waitFor(() => expect(section.toasts).toMatchObject([{ title: 'Suivi', lang: 'fr' }]))
    const { body } = section.calls.find(({ route }) => route === 'POST /watches') ?? {}
    expect(body).toEqual({ kind: 'person', subject_id: ID })
    await openSection(parcel, BASE, `${BASE}/profile/${ID}`, routes, { id: ID })
    await screen.findByRole('heading', { name: '@ada' })
    expect(screen.queryByRole('button', { name: 'Suivre' })).toBeNull()
  })

  it('shows an empty state for a type without contributions, and all on request', async () => {
    const one = { username: 'ada', created_at: all[0]?.created_at, total_iods: 1, total_narratives: 0 }
    const section = await open(`/profile/${ID}`, {
      'GET /community/users/:id': ({ search }) => [
        200,
        { ...one, all_contributions: search.get('contribution_type') ? [] : [contribution(1)] },
      ],
    })
    await screen.findByRole('heading', { name: '@ada' })
    fireEvent.change(screen.getByRole('combobox'), { target: { value: 'NARRATIVE' } })
    await screen.findByText('Aucune contribution pour le moment.')
    expect(screen.queryByRole('list', { name: 'Contributions' })).toBeNull()
    fireEvent.click(screen.getByRole('button', { name: 'Tout afficher' }))
    await waitFor(() => expect(rows()).toHaveLength(1))
    expect(section.search()).toBe('')
  })

  it('returns to the unchanged list it was opened from, otherwise to the start of the list', async () => {
    const two = [person(1), { ...person(2), id: ID, username: 'ada' }]
    const section = await open('?search=ada', {
      ...routes,
      'GET /community/users': () => [200, { users: two, total: 2 }],
    })
    fireEvent.click(await screen.findByRole('button', { name: /View full profile of @ada/ }))
    fireEvent.change(await screen.findByRole('combobox'), { target: { value: 'IOD' } })
    fireEvent.click(screen.getByRole('button', { name: 'Retour' }))
    await screen.findByText('Search: "ada"')
    expect(section.search()).toBe('?search=ada')

    const linked = await open(`/profile/${ID}`, routes)
    fireEvent.click(await screen.findByRole('button', { name: 'Retour' }))
    await waitFor(() => expect(linked.path()).toBe(BASE))
  })

  it('that does not exist shows a hint and a link to the list', async () => {
    const unknown = 'c'.repeat(24)
    const section = await open(`/profile/${unknown}`, routes)
    await screen.findByText('No profiles found')
    expect(section.toasts).toEqual([
      expect.objectContaining({
        title: 'Utilisateur introuvable',
        description: "Ce profil n'existe pas ou n'est pas public",
      }),
    ])
  })

  it('that fails to load shows an error with Retry', async () => {
    let down = true
    const section = await open(`/profile/${ID}`, {
      ...routes,
      'GET /community/users/:id': call => (down ? [503, { detail: 'down' }] : profile(call)),
    })
    const retry = await screen.findByRole('button', { name: 'Retry' })
    expect(section.toasts[0]).toMatchObject({
      lang: 'fr',
      title: 'Erreur',
      description: 'Impossible de charger le profil',
    })
    down = false
    fireEvent.click(retry)
    await screen.findByRole('heading', { name: '@ada' })
  })
})
