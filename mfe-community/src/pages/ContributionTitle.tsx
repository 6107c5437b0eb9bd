import type { ContributionType } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'

export interface ContributionTitleProps {
  type: ContributionType
  id: string
  title: string
  className?: string | undefined
}

/** A contribution's title. An IOD's title links to the IOD. Narratives have none: only their author sees them. */
export function ContributionTitle({ type, id, title, ...span }: ContributionTitleProps) {
  if (type === 'IOD')
    return (
      <SectionLink {...span} dir="auto" lang="" title={title} to={paths.iod(id)}>
        {title}
      </SectionLink>
    )
  return (
    <span {...span} dir="auto" lang="" title={title}>
      {title}
    </span>
  )
}
