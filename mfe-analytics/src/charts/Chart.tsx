import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import {
  Button,
  Card,
  EmptyState,
  formatCount,
  HTMLTable,
  Loading,
  LoadingPanel,
  type QueryState,
} from '@iodine/ui'
import { ExportIcon, InfoSignIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { type ReactNode, Suspense, useId, useMemo, useState } from 'react'
import type { Numbers } from '../model/chart'
import styles from './Chart.module.css'
import type { Drawing } from './draw'
import { Legend } from './Legend'
import { Plotted } from './Plotted'
import { type Caption, chartSvg, saveNumbers, savePng, saveSvg } from './save'

/** A chart that draws itself, and its picture as an SVG document. */
export interface OwnDrawing {
  body: ReactNode
  picture: (title: string) => Promise<string>
}

/** What a chart shows of loaded data. */
export interface ChartContent {
  drawing: Drawing | OwnDrawing
  numbers: Numbers
  /** Names of the series, for the legend; at most one for none. */
  series?: readonly string[]
  /** A summary of the numbers, below the title. */
  note?: string
  /** Name of a dashed line. */
  line?: string
  onBrush?: (from: string, to: string) => void
}

export interface ChartProps<T> {
  title: string
  /** What is counted, in one sentence. */
  definition: string
  /** Period and zone. */
  period: string
  query: QueryState<T>
  /** Returns what the chart shows; null for empty data. Depends only on its argument and the controls. */
  content: (data: T) => ChartContent | null
  /** Says what to do about empty data. */
  emptyText: string
  /** Controls of this chart alone. */
  controls?: ReactNode
  /** Whether it takes the width of two charts. */
  wide?: boolean
}

/** A chart with its definition, the same numbers as a table, and files of both. */
export function Chart<T>({ wide = false, ...props }: ChartProps<T>) {
  const { title, definition, period, query, content, emptyText, controls } = props
  const { data } = query
  const shown = useMemo(() => (data === undefined ? null : content(data)), [data, content])
  const [isTable, setTable] = useState(false)
  const id = useId()
  return (
    <Card className={wide ? `${styles.card} ${styles.wide}` : styles.card} role="region" aria-labelledby={id}>
      <header className={styles.header}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        <Popover content={<p className={styles.definition}>{definition}</p>} placement="bottom-start">
          <Button
            variant="minimal"
            size="small"
            icon={<InfoSignIcon />}
            aria-label={`How “${title}” is counted`}
          />
        </Popover>
        <div className={styles.actions}>
          {controls}
          <Button
            variant="minimal"
            size="small"
            text="As table"
            active={isTable}
            aria-pressed={isTable}
            disabled={!shown}
            onClick={() => setTable(!isTable)}
          />
          <SaveMenu title={title} period={period} shown={shown} />
        </div>
      </header>
      <p className={styles.period}>
        {period}
        {shown?.note && ` · ${shown.note}`}
      </p>
      <div className={styles.body}>
        <LoadingPanel
          query={query}
          errorTitle={`“${title}” could not be loaded`}
          isEmpty={() => shown === null}
          empty={<EmptyState title="Nothing in this period" description={emptyText} />}
        >
          {() =>
            shown &&
            (isTable ? (
              <NumbersTable numbers={shown.numbers} label={title} />
            ) : (
              <>
                {shown.series && (shown.series.length > 1 || shown.line) && (
                  <Legend series={shown.series} line={shown.line} />
                )}
                {typeof shown.drawing === 'function' ? (
                  <Plotted label={title} drawing={shown.drawing} onBrush={shown.onBrush} />
                ) : (
                  <Suspense fallback={<Loading />}>{shown.drawing.body}</Suspense>
                )}
              </>
            ))
          }
        </LoadingPanel>
      </div>
    </Card>
  )
}

interface SaveMenuProps {
  title: string
  period: string
  shown: ChartContent | null
}

function SaveMenu({ title, period, shown }: SaveMenuProps) {
  const { config } = useHost()
  const caption: Caption = { title, period, source: `${config.product_name}, ${window.location.host}` }
  const picture = async ({ drawing, series = [] }: ChartContent) =>
    typeof drawing === 'function'
      ? chartSvg(drawing, caption, series.length > 1 ? series : [])
      : drawing.picture([title, period, caption.source].join(' · '))
  const save = useAction({
    mutationFn: async ({ content, isPng }: { content: ChartContent; isPng: boolean }) => {
      const svg = await picture(content)
      if (isPng) await savePng(svg, caption)
      else saveSvg(svg, caption)
    },
    failed: () => errorToast(null, 'The picture could not be saved'),
  })
  if (!shown)
    return (
      <Button variant="minimal" size="small" icon={<ExportIcon />} aria-label={`Save “${title}”`} disabled />
    )
  return (
    <Popover
      placement="bottom-end"
      content={
        <Menu>
          <MenuItem text="CSV" onClick={() => saveNumbers(shown.numbers, caption)} />
          <MenuItem text="PNG" onClick={() => void save.run({ content: shown, isPng: true })} />
          <MenuItem text="SVG" onClick={() => void save.run({ content: shown, isPng: false })} />
        </Menu>
      }
    >
      <Button variant="minimal" size="small" icon={<ExportIcon />} aria-label={`Save “${title}”`} />
    </Popover>
  )
}

function NumbersTable({ numbers: { columns, rows }, label }: { numbers: Numbers; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too
    <section className={styles.table} aria-label={`${label}, as table`} tabIndex={0}>
      <HTMLTable compact>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no ids and never move
            <tr key={at}>
              {row.map((cell, n) => (
                <td key={columns[n]}>{typeof cell === 'number' ? formatNumber(cell) : cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </HTMLTable>
    </section>
  )
}

const formatNumber = (n: number) => (Number.isInteger(n) ? formatCount(n) : n.toFixed(2))
