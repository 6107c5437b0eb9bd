import { Button } from '@iodine/ui'
import { MaximizeIcon, MinimizeIcon } from '@iodine/ui/icons'

export interface ExpandButtonProps {
  expanded: boolean
  onExpand: (expanded: boolean) => void
}

/** Enlarges the graph, or shrinks it again. */
export const ExpandButton = ({ expanded, onExpand }: ExpandButtonProps) => (
  <Button
    icon={expanded ? <MinimizeIcon /> : <MaximizeIcon />}
    text={expanded ? 'Collapse' : 'Expand'}
    onClick={() => onExpand(!expanded)}
  />
)
