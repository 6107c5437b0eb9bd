import type { ContributionType } from '@iodine/contracts'
import { Tag } from '@iodine/ui'
import { TYPE_LABELS } from '../model/contributions'

export function TypeTag({ type }: { type: ContributionType }) {
  return (
    <Tag minimal intent={type === 'IOD' ? 'primary' : 'none'}>
      {TYPE_LABELS[type]}
    </Tag>
  )
}
