import { SectionLink } from '@iodine/mfe-kit'
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

/** A badge, which leads to it, if a value is an IOD, otherwise a button that creates one from it. */
export function IodMark({ path, label, value }: IodMarkProps) {
  const { known, startIod } = useRecordContext()
  const [iod] = known.matching(value.iodValue)
  if (iod) {
    return (
      <SectionLink to={`iods/${iod.id}`}>
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
      onClick={() => startIod(pickValue(path, value))}
    />
  )
}
