import { mountRootParcel, type ParcelConfig } from 'single-spa'
import type { HostProps, RemoteParcel } from '../host-contract'

export interface MountedParcel {
  /** Resolves once the section is on screen. */
  mounted: Promise<unknown>
  /** Hands over new props; calls made while one is under way are joined. */
  update: (props: HostProps) => void
  unmount: () => Promise<void>
}

/** Mounts a remote's parcel into `domElement`. single-spa's `start()` is never called: it would patch history. */
export function mountParcel(config: RemoteParcel, domElement: HTMLElement, props: HostProps): MountedParcel {
  const { hostContract: _, ...lifecycles } = config
  let latest = props
  let applied = props
  // single-spa never forgets a root parcel, so what it holds is emptied at the end.
  const held: Record<string, unknown>[] = []
  const hold = (next: HostProps) => {
    const kept = { ...next, domElement }
    held.push(kept)
    if (held.length > 1) emptied(held.shift())
    return kept
  }
  const parcel = mountRootParcel(lifecycles as unknown as ParcelConfig, hold(props))
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
      held.forEach(emptied)
      domElement.replaceChildren()
    },
  }
}

function emptied(kept: Record<string, unknown> | undefined) {
  for (const key of Object.keys(kept ?? {})) delete kept?.[key]
}
