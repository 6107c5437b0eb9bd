import type { Iod, Triplet } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { Button, Tag } from '@iodine/ui'
import { AddIcon, TickIcon } from '@iodine/ui/icons'
import { tripletValue } from '../model/triplets'

interface TripletIodProps {
  className: string | undefined
  triplet: Triplet
  iod: Iod | undefined
  onConvert: () => void
}

/** A link to the IOD of a triplet, or a button that creates one. */
export function TripletIod({ className, triplet, iod, onConvert }: TripletIodProps) {
  return iod ? (
    <SectionLink className={className} to={paths.iod(iod.id)}>
      <Tag
        minimal
        interactive
        tabIndex={-1}
        intent="success"
        icon={<TickIcon />}
        title={`Already an IOD: ${iod.value}`}
      >
        IOD
      </Tag>
    </SectionLink>
  ) : (
    <Button
      className={className}
      variant="outlined"
      size="small"
      icon={<AddIcon />}
      text="IOD"
      aria-label={`Convert to IOD: ${tripletValue(triplet)}`}
      onClick={onConvert}
    />
  )
}
