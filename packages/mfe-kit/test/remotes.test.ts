import { getInstance, init } from '@module-federation/enhanced/runtime'
import { afterEach, expect, test, vi } from 'vitest'
import { createRemotes } from '../src/host'
import { HOST_CONTRACT_VERSION } from '../src/index'

const parcel = { hostContract: HOST_CONTRACT_VERSION }
const manifestOf = (name: string) => ({
  id: name,
  name,
  metaData: {
    name,
    type: 'app',
    buildInfo: { buildVersion: '1', buildName: name },
    remoteEntry: { name: 'entry.js', path: '', type: 'global' },
    types: { path: '', name: '', zip: '', api: '' },
    globalName: name,
    pluginVersion: '2.9.2',
    publicPath: `http://iodine.test/${name}/`,
  },
  shared: [],
  remotes: [],
  exposes: [],
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('a retry bypasses the cache for the remote that failed, and for no other', async () => {
  if (!getInstance()) init({ name: 'host', remotes: [] })
  const names = ['mfe_a', 'mfe_b']
  vi.stubGlobal('fetch', async (url: string | URL) => {
    const name = names.find(each => String(url).includes(`/${each}/`))
    const table = Object.fromEntries(names.map(each => [each, `http://iodine.test/${each}/mf-manifest.json`]))
    return Response.json(name ? manifestOf(name) : table)
  })
  const scripts: string[] = []
  let isDown = true
  vi.spyOn(document.head, 'appendChild').mockImplementation(node => {
    if (!(node instanceof HTMLScriptElement)) return node
    scripts.push(node.src)
    const name = names.find(each => node.src.includes(`/${each}/`)) ?? ''
    Object.assign(globalThis, { [name]: { init: () => {}, get: async () => () => ({ parcel }) } })
    queueMicrotask(() => {
      if (isDown) node.onerror?.(new Event('error'))
      else node.onload?.(new Event('load'))
    })
    return node
  })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const remotes = createRemotes({ loadShared: async () => {} })
  await expect(remotes.load('mfe_a')).rejects.toThrow()
  isDown = false
  expect(await remotes.load('mfe_a')).toBe(parcel)
  expect(await remotes.load('mfe_b')).toBe(parcel)
  expect([...new Set(scripts)]).toEqual([
    'http://iodine.test/mfe_a/entry.js',
    'http://iodine.test/mfe_a/entry.js?retry=1',
    'http://iodine.test/mfe_b/entry.js',
  ])
})
