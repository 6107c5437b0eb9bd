import type { CampaignDetail } from '@iodine/contracts'
import { Button, ButtonGroup } from '@iodine/ui'
import { CaretDownIcon, ExportIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { useExport } from '../queries/export'

const OTHERS = [
  { format: 'stix', label: 'STIX 2.1 bundle' },
  { format: 'misp', label: 'MISP event' },
  { format: 'csv', label: 'CSV' },
] as const

/** Saves the campaign as JSON, or in an exchange format: STIX, MISP or CSV. */
export function ExportButtons({ campaign, disabled }: { campaign: CampaignDetail; disabled: boolean }) {
  const save = useExport()
  return (
    <ButtonGroup>
      <Button
        icon={<ExportIcon />}
        text="Export JSON"
        disabled={disabled}
        onClick={() => void save(campaign, 'json')}
      />
      <Popover
        placement="bottom-end"
        disabled={disabled}
        content={
          <Menu>
            {OTHERS.map(({ format, label }) => (
              <MenuItem key={format} text={label} onClick={() => void save(campaign, format)} />
            ))}
          </Menu>
        }
      >
        <Button
          icon={<CaretDownIcon />}
          aria-label="Export in another format"
          title="Export in another format"
          disabled={disabled}
        />
      </Popover>
    </ButtonGroup>
  )
}
