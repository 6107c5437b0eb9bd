import { getInstance, init } from '@module-federation/enhanced/runtime'
import { afterEach, expect, test, vi } from 'vitest'
import { createRemotes } from '../src/host'
import { HOST_CONTRACT_VERSION } from '../src/host-contract'

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

/** Serves remotes that require these host contracts, by stubs of requests and scripts. */
function serve(contracts: Record<string, string>) {
  if (!getInstance()) init({ name: 'host', remotes: [] })
  const names = Object.keys(contracts)
  const served = { scripts: [] as string[], isDown: false }
  vi.stubGlobal('fetch', async (url: string | URL) => {
    const name = names.find(each => String(url).includes(`/${each}/`))
    const table = Object.fromEntries(names.map(each => [each, `http://iodine.test/${each}/mf-manifest.json`]))
    return Response.json(name ? manifestOf(name) : table)
  })
  vi.spyOn(document.head, 'appendChild').mockImplementation(node => {
    if (!(node instanceof HTMLScriptElement)) return node
    served.scripts.push(node.src)
    const name = names.find(each => node.src.includes(`/${each}/`)) ?? ''
    const parcel = { hostContract: contracts[name] }
    Object.assign(globalThis, { [name]: { init: () => {}, get: async () => () => ({ parcel }) } })
    queueMicrotask(() => {
      if (served.isDown) node.onerror?.(new Event('error'))
      else node.onload?.(new Event('load'))
    })
    return node
  })
  return served
}

test('bypasses the cache on a retry only for the remote that failed', async () => {
  const served = serve({ mfe_a: HOST_CONTRACT_VERSION, mfe_b: HOST_CONTRACT_VERSION })
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const remotes = createRemotes({ loadShared: async () => {} })
  served.isDown = true
  await expect(remotes.load('mfe_a')).rejects.toThrow()
  served.isDown = false
  for (const name of ['mfe_a', 'mfe_b'])
    expect(await remotes.load(name)).toEqual({ hostContract: HOST_CONTRACT_VERSION })
  expect([...new Set(served.scripts)]).toEqual([
    'http://iodine.test/mfe_a/entry.js',
    'http://iodine.test/mfe_a/entry.js?retry=1',
    'http://iodine.test/mfe_b/entry.js',
  ])
})

test('loads remotes of the same major version of the contract whose minor version is not later', async () => {
  serve({ mfe_older: '1.9', mfe_same: '1.10', mfe_newer: '1.11', mfe_next: '2.0', mfe_previous: '0.10' })
  const remotes = createRemotes({ loadShared: async () => {}, hostContract: '1.10' })
  const refusal = (name: string, contract: string) =>
    `${name} requires host contract ${contract}, this shell has 1.10`
  expect(await remotes.load('mfe_older')).toEqual({ hostContract: '1.9' })
  expect(await remotes.load('mfe_same')).toEqual({ hostContract: '1.10' })
  await expect(remotes.load('mfe_newer')).rejects.toThrow(refusal('mfe_newer', '1.11'))
  await expect(remotes.load('mfe_next')).rejects.toThrow(refusal('mfe_next', '2.0'))
  await expect(remotes.load('mfe_previous')).rejects.toThrow(refusal('mfe_previous', '0.10'))
})
