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
  /** Accepted types, as the attribute of the same name; dropped files are not checked. */
  accept?: string
  /** Whether several files can be chosen at once; default false. */
  multiple?: boolean
  /** Called with at least one file. */
  onFiles: (files: File[]) => void
}

/** An area on which files are dropped, with a button that chooses them. */
export function FileDrop({ text, hint, label, accept, multiple = false, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files].slice(0, multiple ? undefined : 1)
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
      <FileButton
        intent="primary"
        icon={<UploadIcon />}
        text={text}
        label={label}
        accept={accept}
        multiple={multiple}
        onFiles={onFiles}
      />
      <span className={styles.hint}>{hint}</span>
    </div>
  )
}
