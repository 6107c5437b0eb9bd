import { type DragEvent, type ReactNode, useState } from 'react'
import { UploadIcon } from '../icons'
import { FileButton } from './FileButton'
import styles from './FileDrop.module.css'

export interface FileDropProps {
  /** Text of the button. */
  text: string
  /** Text beside the button. */
  hint: ReactNode
  /** Accessible name of the file input. */
  label: string
  /** Whether several files can be chosen at once; default false. */
  multiple?: boolean
  /** Called with at least one file. */
  onFiles: (files: File[]) => void
}

/** An area on which files are dropped, with a button that chooses them. */
export function FileDrop({ hint, onFiles, ...button }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files].slice(0, button.multiple ? undefined : 1)
    if (files.length > 0) onFiles(files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileButton intent="primary" icon={<UploadIcon />} {...button} onFiles={onFiles} />
      <span className={styles.hint}>{hint}</span>
    </div>
  )
}
