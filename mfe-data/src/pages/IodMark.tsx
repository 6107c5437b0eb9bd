import { paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Tag } from '@iodine/ui'
import { PlusIcon } from '@iodine/ui/icons'
import type { FieldValue } from '../model/record-fields'
import { selectValue } from '../model/record-view'
import { useRecordContext } from './record-context'

export interface IodMarkProps {
  path: string
  /** Name of the value in the button's label. */
  label: string
  value: FieldValue
}

/** For texts of several words: see `FieldText`. */
const KEYS = {
  'aria-description':
    'Arrow keys select a word of the text, Shift and arrow keys change the selection, Tab leads to + IOD.',
}

/** A badge that links to the IOD of a value, or a button that creates an IOD from the value. */
export function IodMark({ path, label, value }: IodMarkProps) {
  const { known, startIod } = useRecordContext()
  const [iod] = known.matching(value.iodValue)
  const keys = /\s/.test(value.text.trim()) ? KEYS : {}
  if (iod) {
    return (
      <SectionLink to={paths.iod(iod.id)} {...keys}>
        <Tag minimal multiline interactive tabIndex={-1} intent="success" title="This value is an IOD">
          IOD
        </Tag>
      </SectionLink>
    )
  }
  return (
    <Button
      variant="minimal"
      size="small"
      icon={<PlusIcon size={14} />}
      aria-label={`Create IOD from ${label}`}
      title="Create IOD"
      {...keys}
      onClick={() => startIod(selectValue(path, value))}
    />
  )
}
