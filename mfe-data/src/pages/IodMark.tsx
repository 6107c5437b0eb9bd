import { paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Tag } from '@iodine/ui'
import { PlusIcon } from '@iodine/ui/icons'
import { type FieldValue, pickValue } from '../model/record-view'
import { useRecordContext } from './record-context'

export interface IodMarkProps {
  path: string
  /** Name of the value in the button's label. */
  label: string
  value: FieldValue
}

/** Of texts of several words: see `FieldText`. */
const KEYS = {
  'aria-description':
    'Arrow keys select a word of the text, Shift and arrow keys change the selection, Tab leads to + IOD.',
}

/** A badge, which leads to it, if a value is an IOD, otherwise a button that creates one from it. */
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
      onClick={() => startIod(pickValue(path, value))}
    />
  )
}
