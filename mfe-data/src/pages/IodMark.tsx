import { Button, Tag } from '@iodine/ui'
import { PlusIcon } from '@iodine/ui/icons'
import { useRecordContext } from './record-context'

export interface IodMarkProps {
  path: string
  /** Name of the value in the button's label. */
  label: string
  value: string
}

/** A badge if a value is an IOD, otherwise a button that creates one from it. */
export function IodMark({ path, label, value }: IodMarkProps) {
  const { known, startIod } = useRecordContext()
  if (known.matching(value).length > 0) {
    return (
      <Tag minimal multiline intent="success" title="This value is an IOD">
        IOD
      </Tag>
    )
  }
  return (
    <Button
      variant="minimal"
      size="small"
      icon={<PlusIcon size={14} />}
      aria-label={`Create IOD from ${label}`}
      title="Create IOD"
      onClick={() => startIod(path, value)}
    />
  )
}
