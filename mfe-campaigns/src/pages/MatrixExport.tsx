import { type Matrix, type Measure, matrixCsv, matrixLayer, matrixSvg } from '@iodine/exchange/disarm'
import { Button } from '@iodine/ui'
import { CaretDownIcon, ExportIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { type MatrixFormat, useMatrixExport } from '../queries/export'

export interface MatrixExportProps {
  matrix: Matrix
  title: string
  /** The campaign, whose layer the service writes with quotes. */
  campaignId: string | undefined
  names: readonly [first: string, second: string] | undefined
  measure: Measure
}

/** A menu that saves the displayed matrix as a picture, a layer of DISARM's Navigator, or CSV. */
export function MatrixExport({ matrix, title, campaignId, names, measure }: MatrixExportProps) {
  const { run: save } = useMatrixExport()
  const options = { title, names, measure }
  const write: Record<MatrixFormat, () => string> = {
    svg: () => matrixSvg(matrix, options),
    navigator: () => JSON.stringify(matrixLayer(matrix, options), null, 2),
    csv: () => matrixCsv(matrix, options),
  }
  const item = (format: MatrixFormat, text: string) => (
    <MenuItem text={text} onClick={() => void save({ title, format, campaignId, write: write[format] })} />
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
