import type { Profile } from '@iodine/contracts'
import { Link, NavigationType, useLocation } from '@iodine/ui/router'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defineParcel, type HostProps, useHost } from '../src'
import { type MountedParcel, mountParcel } from '../src/host'

/** Timeout in milliseconds, sufficient on a busy machine. */
const TIMEOUT_MS = 30_000

const user: Profile = {
  id: 'a'.repeat(24),
  email: 'ada@example.org',
  username: 'ada',
  is_admin: false,
  created_at: '2026-01-01T00:00:00.000Z',
  has_openai_key: false,
}

const hostProps = (change: Partial<HostProps> = {}): HostProps => ({
  basePath: '/dashboard/iods',
  location: at('/dashboard/iods'),
  navigationType: NavigationType.Push,
  navigate: vi.fn(),
  session: { user, refresh: async () => {} },
  api: { call: vi.fn(), page: vi.fn(), download: vi.fn() },
  notify: vi.fn(),
  config: {
    product_name: 'Iodine',
    contact_email: '',
    social_links: [],
    extension_url: '',
    extension_firefox_url: '',
    offline_ai: false,
    reports: false,
    sections: [],
  },
  onCrash: vi.fn(),
  ...change,
})
const at = (pathname: string) => ({ pathname, search: '', hash: '', state: null, key: pathname })

let container: HTMLElement
let parcel: MountedParcel | undefined

beforeEach(() => {
  container = document.body.appendChild(document.createElement('div'))
})

afterEach(async () => {
  await parcel?.unmount()
  parcel = undefined
  container.remove()
})

async function mount(Root: () => React.ReactNode, props: HostProps) {
  parcel = mountParcel(defineParcel({ '*': Root }), container, props)
  await parcel.mounted
}

function Section() {
  const host = useHost()
  const [open] = useState(() => performance.now())
  return (
    <p data-open={open}>
      {useLocation().pathname} {host.session.user.username} <Link to="/profile/1">Details</Link>
    </p>
  )
}

test('passes the path below the base, the host props, and links with the base to the section', async () => {
  const props = hostProps()
  await mount(Section, props)
  expect(container.textContent).toContain('/ ada')
  const link = container.querySelector('a') as HTMLAnchorElement
  expect(link.getAttribute('href')).toBe('/dashboard/iods/profile/1')
  link.click()
  await vi.waitFor(
    () =>
      expect(props.navigate).toHaveBeenCalledWith(
        expect.objectContaining({ pathname: '/dashboard/iods/profile/1' }),
        expect.anything(),
      ),
    TIMEOUT_MS,
  )
})

test('shows Page Not Found for an unknown path below the section', async () => {
  const pages = { '/': () => <h1>List</h1>, '/thing/:id': () => <h1>Thing</h1> }
  const open = async (path: string) => {
    parcel = mountParcel(
      defineParcel(pages),
      container,
      hostProps({ location: at(`/dashboard/iods${path}`) }),
    )
    await parcel.mounted
    const text = await vi.waitFor(
      () => container.querySelector('h1')?.textContent ?? expect.fail(),
      TIMEOUT_MS,
    )
    const link = container.querySelector('a')?.getAttribute('href')
    await parcel.unmount()
    return link ? [text, link] : text
  }
  const missing = ['Page Not Found', '/dashboard/overview']
  expect(await open('')).toBe('List')
  expect(await open('/')).toBe('List')
  expect(await open(`/thing/${'a'.repeat(24)}`)).toBe('Thing')
  expect(await open('/thing')).toEqual(missing)
  expect(await open('/x')).toEqual(missing)
  expect(await open('/x/y')).toEqual(missing)
})

test('updates the section’s props without mounting it again, also in quick succession', async () => {
  await mount(Section, hostProps())
  const opened = container.querySelector('p')?.dataset.open
  for (const page of ['a', 'b', 'c']) parcel?.update(hostProps({ location: at(`/dashboard/iods/${page}`) }))
  await vi.waitFor(() => expect(container.textContent).toContain('/c ada'), TIMEOUT_MS)
  expect(container.querySelector('p')?.dataset.open).toBe(opened)
})

test('reports a render error to the host and leaves an empty container', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  const props = hostProps()
  await mount(() => {
    throw new Error('boom')
  }, props)
  await vi.waitFor(
    () => expect(props.onCrash).toHaveBeenCalledWith(expect.objectContaining({ message: 'boom' })),
    TIMEOUT_MS,
  )
  expect(container.textContent).toBe('')
  expect(printed).toHaveBeenCalled()
  printed.mockRestore()
})

test('empties the container on unmount', async () => {
  await mount(Section, hostProps())
  await parcel?.unmount()
  expect(container.childNodes).toHaveLength(0)
})
