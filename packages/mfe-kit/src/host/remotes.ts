import type { RemotesTable } from '@iodine/contracts'
import {
  getInstance,
  loadRemote,
  type ModuleFederationRuntimePlugin,
  preloadRemote,
  registerPlugins,
  registerRemotes,
} from '@module-federation/enhanced/runtime'
import { HOST_CONTRACT_VERSION, type RemoteParcel } from '../host-contract'

const LOAD_TIMEOUT_MS = 120_000

/** The deployed sections, by remote name ('mfe_iods'), as `/remotes.json` lists them. */
export interface Remotes {
  /**
   * Resolves to the section's parcel. Rejects if it requires another host contract or another major version of a shared
   * module. After a failure the next call loads everything again.
   */
  load: (name: string) => Promise<RemoteParcel>
  /** Prefetches the section's code. Never fails. */
  preload: (name: string) => void
}

export interface RemotesOptions {
  /** The URL of the table of remotes, which is fetched before the first remote is loaded. */
  tableUrl?: string
  /**
   * Loads the shared modules that the host does not need at its start. Completes before any remote's code runs.
   * Otherwise a remote's bundled copy of another version could replace them, and other remotes would be rejected.
   */
  loadShared: () => Promise<unknown>
  /** Version of the contract that the host implements; by default that of this build. */
  hostContract?: string
}

/** Creates the loader of remotes. Create one per host. */
export function createRemotes(options: RemotesOptions): Remotes {
  const { tableUrl = '/remotes.json', loadShared, hostContract = HOST_CONTRACT_VERSION } = options
  let table: Promise<RemotesTable> | undefined
  const failed = new Set<string>()
  const preloaded = new Set<string>()
  /** Number of retries by remote. */
  const retries = new Map<string, number>()
  let hooked = false

  const readTable = () => {
    table ??= fetchTable(tableUrl).then(remotes => {
      if (!hooked) registerPlugins([loadingHooks(retries)])
      hooked = true
      registerRemotes(Object.entries(remotes).map(([name, entry]) => ({ name, entry })))
      return remotes
    })
    // After a failure the next call fetches the table again.
    table.catch(() => {
      table = undefined
    })
    return table
  }

  const fetchParcel = async (name: string): Promise<RemoteParcel> => {
    const isRetry = failed.delete(name)
    // A new version may have been deployed in the meantime.
    if (isRetry) table = undefined
    const [remotes] = await Promise.all([readTable(), loadShared()])
    const entry = remotes[name]
    if (!entry) throw new Error(`No remote is registered under ${name}`)
    if (isRetry) {
      retries.set(name, (retries.get(name) ?? 0) + 1)
      registerRemotes([{ name, entry }], { force: true })
    }
    const module = await loadRemote<{ parcel?: RemoteParcel }>(`${name}/parcel`)
    const parcel = module?.parcel
    if (!parcel) throw new Error(`${name} exposes no parcel`)
    if (!isSupported(parcel.hostContract, hostContract)) {
      throw new Error(`${name} requires host contract ${parcel.hostContract}, this shell has ${hostContract}`)
    }
    return parcel
  }

  return {
    load: async name => {
      try {
        return await withDeadline(fetchParcel(name), LOAD_TIMEOUT_MS)
      } catch (error) {
        failed.add(name)
        throw error
      }
    },
    preload: name => {
      if (preloaded.has(name)) return
      preloaded.add(name)
      readTable()
        .then(() => (getInstance() ? preloadRemote([{ nameOrAlias: name, exposes: ['parcel'] }]) : undefined))
        .catch(() => preloaded.delete(name))
    },
  }
}

/** Returns whether a host supports remotes built against `required`: same major version, minor version not later. */
function isSupported(required: string, host: string): boolean {
  const [[major, minor], [hostMajor, hostMinor]] = [required, host].map(version =>
    String(version).split('.').map(Number),
  ) as [[number, number], [number, number]]
  return major === hostMajor && minor <= hostMinor
}

async function fetchTable(url: string): Promise<RemotesTable> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} returned ${response.status}`)
  return (await response.json()) as RemotesTable
}

/**
 * Sets longer timeouts of scripts, keeps error responses from being cached as manifests, and bypasses the script cache
 * for a remote that failed. Module Federation's retry plugin does not fit: it retries immediately and has no retry by
 * the user.
 */
const loadingHooks = (retries: ReadonlyMap<string, number>): ModuleFederationRuntimePlugin => ({
  name: 'iodine-loading',
  fetch: async (url, init) => {
    // The runtime reuses the promise of a manifest, so a hanging request must fail.
    const signal = AbortSignal.timeout(LOAD_TIMEOUT_MS)
    const response = await fetch(url, { ...init, credentials: 'same-origin', signal })
    if (!response.ok) throw new Error(`${url} returned ${response.status}`)
    return response
  },
  createScript: ({ url, attrs, remoteInfo }) => {
    const retry = remoteInfo && retries.get(remoteInfo.name)
    const script = document.createElement('script')
    for (const [name, value] of Object.entries(attrs ?? {})) script.setAttribute(name, String(value))
    script.src = retry ? `${url}?retry=${retry}` : url
    script.async = true
    return { script, timeout: LOAD_TIMEOUT_MS }
  },
})

function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No response within ${ms / 1000} s`)), ms)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}
