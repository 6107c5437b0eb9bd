import { useHost } from '@iodine/mfe-kit'
import { type MountedParcel, mountParcel } from '@iodine/mfe-kit/host'
import { ErrorCallout, Loading, Page, useLatest } from '@iodine/ui'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useShell } from '../app/HostProvider'
import styles from './RemoteOutlet.module.css'

export interface RemoteOutletProps {
  /** Name in the table of remotes: 'mfe_iods'. */
  remote: string
  /** The section's name on the error card. */
  title: string
}

/** A section's parcel. If it fails, an error card whose Retry loads the section again. */
export function RemoteOutlet(props: RemoteOutletProps) {
  const [attempt, setAttempt] = useState(0)
  return <RemoteMount key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />
}

function RemoteMount({ remote, title, onRetry }: RemoteOutletProps & { onRetry: () => void }) {
  const { remotes } = useShell()
  const [state, setState] = useState<'loading' | 'mounted' | 'failed'>('loading')
  const container = useRef<HTMLDivElement>(null)
  const parcel = useRef<MountedParcel>(null)
  const own = useHost()
  const host = useMemo(() => ({ ...own, onCrash: () => setState('failed') }), [own])
  const latestHost = useLatest(host)

  useEffect(() => {
    let left = false
    const mount = async () => {
      const config = await remotes.load(remote)
      if (left || !container.current) return
      parcel.current = mountParcel(config, container.current, latestHost.current)
      await parcel.current.mounted
      if (!left) setState(current => (current === 'loading' ? 'mounted' : current))
    }
    mount().catch(error => {
      // biome-ignore lint/suspicious/noConsole: the error card has no room for the cause
      console.error(error)
      if (!left) setState('failed')
    })
    return () => {
      left = true
      void parcel.current?.unmount()
      parcel.current = null
    }
  }, [remote, remotes, latestHost])

  useEffect(() => parcel.current?.update(host), [host])

  return (
    <>
      {state === 'failed' && (
        <Page>
          <ErrorCallout title={`${title} could not be shown`} onRetry={onRetry}>
            Something went wrong in this section. The rest of the app still works.
          </ErrorCallout>
        </Page>
      )}
      <div ref={container} className={styles.section} hidden={state === 'failed'} />
      {state === 'loading' && (
        <div className={styles.loading}>
          <Loading />
        </div>
      )}
    </>
  )
}
