import type { Campaign } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Button } from '@iodine/ui'
import { EditIcon, MoreIcon, TrashIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'

export interface CampaignActions {
  onEdit: (campaign: Campaign) => void
  onDelete: (campaign: Campaign) => void
}

/** The actions menu of a campaign; renders nothing unless the user created the campaign. */
export function CampaignMenu({ campaign, onEdit, onDelete }: { campaign: Campaign } & CampaignActions) {
  const { session } = useHost()
  if (campaign.created_by_id !== session.user.id) return null
  return (
    <Popover
      placement="bottom-end"
      content={
        <Menu>
          <MenuItem icon={<EditIcon />} text="Edit Campaign" onClick={() => onEdit(campaign)} />
          <MenuItem
            icon={<TrashIcon />}
            intent="danger"
            text="Delete Campaign"
            onClick={() => onDelete(campaign)}
          />
        </Menu>
      }
    >
      <Button variant="minimal" icon={<MoreIcon />} aria-label="More actions" />
    </Popover>
  )
}
