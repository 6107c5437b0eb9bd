import { Button } from '@iodine/ui'
import { CaretDownIcon, ExportIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { type MatrixFile, useMatrixExport } from '../queries/export'

/** A menu that saves the displayed matrix as a picture, a layer of DISARM's Navigator, or CSV. */
export function MatrixExport(displayed: Omit<MatrixFile, 'format'>) {
  const { run: save } = useMatrixExport()
  const item = (format: MatrixFile['format'], text: string) => (
    <MenuItem text={text} onClick={() => void save({ ...displayed, format })} />
  )
  return (
    <Popover
      placement="bottom-end"
      content={
        <Menu>
          {item('svg', 'Picture (SVG)')}
          {item('navigator', 'DISARM Navigator layer')}
          {item('csv', 'CSV')}
        </Menu>
      }
    >
      <Button icon={<ExportIcon />} text="Export matrix" endIcon={<CaretDownIcon />} />
    </Popover>
  )
}
