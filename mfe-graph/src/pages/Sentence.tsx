import type { TextPlace } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { SourceLink } from '@iodine/ui'
import type { MouseEvent } from 'react'
import styles from './DetailCard.module.css'

export interface SentenceProps {
  /** Id of the narrative. */
  narrative: string
  src: string | null
  sentence: string
  place: TextPlace
}

/** A sentence, which leads to the narrative with the sentence shown, and its source. */
export function Sentence({ narrative, src, sentence, place }: SentenceProps) {
  const { basePath, navigate } = useHost()
  const sections = basePath.slice(0, basePath.lastIndexOf('/'))
  const path = `${sections}/narratives/${narrative}?start=${place.start}&end=${place.end}`
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    navigate(path)
  }
  return (
    <>
      <a className={styles.sentence} href={path} onClick={open} title="Open the narrative">
        <q>{sentence}</q>
      </a>
      {src && (
        <span className={styles.more}>
          <SourceLink source={src} />
        </span>
      )}
    </>
  )
}
