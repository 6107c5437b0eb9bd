import { paths } from '@iodine/contracts'
import { Tag } from '@iodine/ui'
import { useEffect, useState } from 'react'
import { type FoundOnPage, type OverlayState, sendRequest } from '../shared/messages'
import { votesOf } from '../shared/votes'
import styles from './Popup.module.css'

const REFRESH_MS = 700

interface KnownHereProps {
  tabId: number
  server: string
  overlay: OverlayState
}

/** The known IODs of the page over which the popup is open, with links into the app. */
export function KnownHere({ tabId, server, overlay: { iods, trouble } }: KnownHereProps) {
  const [found, setFound] = useState<FoundOnPage[]>([])
  useEffect(() => {
    const refresh = () => sendRequest('found', { tabId }).then(setFound, () => {})
    refresh()
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [tabId])

  return (
    <section className={styles.section} aria-label="Known IODs on this page">
      <h2 className={styles.heading}>
        Known IODs on this page <Tag minimal>{found.length}</Tag>
      </h2>
      {trouble && <p className={styles.muted}>Known IODs could not be downloaded: {trouble}</p>}
      {iods === null && !trouble && <p className={styles.muted}>Known IODs are being downloaded…</p>}
      {iods !== null && found.length === 0 && (
        <p className={styles.muted}>None of {iods.toLocaleString('en-US')} known IODs is on this page.</p>
      )}
      {found.length > 0 && (
        <ul className={styles.found}>
          {found.map(iod => (
            <li key={iod.id}>
              <a href={server + paths.iod(iod.id)} target="_blank" rel="noreferrer">
                {iod.text}
              </a>
              <span className={styles.muted}>
                {iod.category}, {votesOf(iod)}
                {iod.places > 1 && `, ${iod.places} occurrences`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
