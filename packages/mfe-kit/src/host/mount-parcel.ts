import { mountRootParcel, type ParcelConfig } from 'single-spa'
import type { HostProps, RemoteParcel } from '../host-contract'

export interface MountedParcel {
  /** Resolves once the section is on screen. */
  mounted: Promise<unknown>
  /** Passes new props. Calls during an update are merged into one. */
  update: (props: HostProps) => void
  unmount: () => Promise<void>
}

/** Timeout of single-spa's lifecycles. Its default of 3 s logs errors on slow machines. */
const TIMEOUT = { millis: 30_000, warningMillis: 30_000 }
const timeouts = Object.fromEntries(
  ['bootstrap', 'mount', 'update', 'unmount'].map(lifecycle => [lifecycle, TIMEOUT]),
)

/** Mounts a remote's parcel into `domElement`. single-spa's `start()` is never called: it would patch history. */
export function mountParcel(config: RemoteParcel, domElement: HTMLElement, props: HostProps): MountedParcel {
  const { hostContract: _, ...lifecycles } = config
  let latest = props
  let applied = props
  // single-spa never releases root parcels: the props that it holds are emptied, to free memory.
  const heldProps: Record<string, unknown>[] = []
  const hold = (next: HostProps) => {
    const kept = { ...next, domElement }
    heldProps.push(kept)
    if (heldProps.length > 1) empty(heldProps.shift())
    return kept
  }
  const parcel = mountRootParcel({ ...lifecycles, timeouts } as unknown as ParcelConfig, hold(props))
  let queue: Promise<unknown> = parcel.mountPromise
  const applyLatest = async () => {
    if (latest === applied || parcel.getStatus() !== 'MOUNTED') return
    applied = latest
    await parcel.update?.(hold(latest))
  }
  return {
    mounted: parcel.mountPromise,
    update: next => {
      latest = next
      queue = queue.then(applyLatest, () => {})
    },
    unmount: async () => {
      await queue.catch(() => {})
      if (parcel.getStatus() === 'MOUNTED') await parcel.unmount()
      heldProps.forEach(empty)
      domElement.replaceChildren()
    },
  }
}

function empty(kept: Record<string, unknown> | undefined) {
  for (const key of Object.keys(kept ?? {})) delete kept?.[key]
}
