import { suggestCategory } from '@iodine/known-iods'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Tag } from '@iodine/ui'
import type { MouseEvent } from 'react'
import { useIodOf } from '../queries/iods'
import { useRecordContext } from './record-context'
import styles from './SelectionBubble.module.css'
import type { FieldSelection } from './use-field-selection'

/** Width of the widest bubble, in pixels. */
const WIDTH = 184

export interface SelectionBubbleProps {
  selection: FieldSelection
  onCreate: () => void
}

/** A press would otherwise move the focus and clear the selection before the click. */
const keepSelection = (event: MouseEvent) => event.preventDefault()

/** A button that creates an IOD from the selected text, with the suggested category, or a link to the existing IOD. */
export function SelectionBubble({ selection, onCreate }: SelectionBubbleProps) {
  const { path, value, left, top, room } = selection
  const place = { left: left - Math.max(0, WIDTH - room), top }
  const { known } = useRecordContext()
  const iod = useIodOf(known, value)
  return (
    <span className={styles.bubble} style={place}>
      <Button intent="primary" size="small" text="+ IOD" onMouseDown={keepSelection} onClick={onCreate} />
      {iod ? (
        <SectionLink className={styles.hint} to={paths.iod(iod.id)} onMouseDown={keepSelection}>
          already an IOD
        </SectionLink>
      ) : (
        <Tag minimal>{suggestCategory(path, value)}</Tag>
      )}
    </span>
  )
}
