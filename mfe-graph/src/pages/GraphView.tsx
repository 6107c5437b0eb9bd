import { errorToast, useAction } from '@iodine/mfe-kit'
import {
  Button,
  ButtonGroup,
  ErrorCallout,
  Loading,
  ProgressBar,
  SegmentedControl,
  useLatest,
} from '@iodine/ui'
import { MinusIcon, PlusIcon, ZoomToFitIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { type ReactNode, useId, useMemo } from 'react'
import { type Network, neighbourhood } from '../model/network'
import type { Palette } from '../model/scene'
import {
  NO_SELECTION,
  readViewState,
  type Selection,
  selectionOf,
  type ViewState,
  viewStateOf,
  withViewState,
} from '../model/view-state'
import type { Stage } from '../stage/stage'
import { NodeTable } from './GraphTable'
import styles from './GraphView.module.css'
import { NodeSearch } from './NodeSearch'
import { readPalette } from './palette'
import { coveredBy, useStage } from './use-stage'

const ZOOM_STEP = 1.4
const KEYS =
  'Keys: arrows move the graph, + and − zoom, 0 shows the whole graph, Esc clears the selection. The table contains the same data.'

/** Props of the selection's details. */
export interface CardSlot {
  className: string | undefined
  onSelect: (node: number) => void
  onClose: () => void
}
export interface NodeSlot extends CardSlot {
  node: number
  /** Maximum number of links between the node and other displayed nodes; 0 displays all. */
  depth: number
  onDepth: (depth: number) => void
}
export interface LinkSlot extends CardSlot {
  link: number
}

export interface GraphViewProps {
  network: Network
  expanded: boolean
  /** Accessible name of the canvas. */
  label: string
  /** Prefix of the names of saved files. */
  fileName: string
  legend: ReactNode
  /** Further buttons that save the graph. */
  saving?: ReactNode
  /** Renders a table of the links above the table of the nodes. */
  linkTable?: (slot: { selected: number; onSelect: (link: number) => void }) => ReactNode
  nodeCard: (slot: NodeSlot) => ReactNode
  linkCard: (slot: LinkSlot) => ReactNode
}

/** A graph as a drawing or a table, with the details of the selection. The URL contains both. */
export function GraphView({ linkTable, nodeCard, linkCard, ...props }: GraphViewProps) {
  const { network, legend } = props
  const [search, setSearch] = useSearchParams()
  const { view: mode, node: nodeId, to: toId } = readViewState(search)
  const onViewState = (change: Partial<ViewState>) =>
    setSearch(withViewState(search, change), { replace: true })
  const selection = useMemo(() => selectionOf(network, { node: nodeId, to: toId }), [network, nodeId, toId])
  const selected = selection.node
  const setSelection = useLatest((next: Selection) => onViewState(viewStateOf(network, next)))
  const palette = useMemo(readPalette, [])
  const keysId = useId()
  const drawing = useStage({ ...props, palette, selection, describedBy: keysId, onSelect: setSelection })
  const { stage, isBeside, depth, setDepth } = drawing

  const select = (node: number) => {
    setSelection.current({ node, link: -1 })
    stage?.reserve(coveredBy(true, isBeside))
    stage?.fitAround(neighbourhood(network, node, 1))
  }
  const cardClass = mode === 'graph' ? `${styles.card} ${isBeside ? styles.beside : styles.sheet}` : undefined
  const close = () => setSelection.current(NO_SELECTION)
  const details = (
    <>
      {selected >= 0 &&
        selected < network.nodes.length &&
        nodeCard({
          className: cardClass,
          node: selected,
          depth,
          onDepth: setDepth,
          onSelect: select,
          onClose: close,
        })}
      {selection.link >= 0 &&
        selection.link < network.links.length &&
        linkCard({ className: cardClass, link: selection.link, onSelect: select, onClose: close })}
    </>
  )

  return (
    <>
      <Toolbar
        {...props}
        {...{ stage, palette, mode }}
        onMode={view => onViewState({ view })}
        onFound={select}
      />
      {mode === 'table' && (
        <>
          {linkTable?.({
            selected: selection.link,
            onSelect: link => setSelection.current({ node: -1, link }),
          })}
          <NodeTable
            network={network}
            selected={selected}
            onSelect={node => setSelection.current({ node, link: -1 })}
          />
        </>
      )}
      <Drawing drawing={drawing} hidden={mode === 'table'}>
        {mode === 'graph' && details}
      </Drawing>
      {mode === 'graph' && legend}
      {mode === 'graph' && (
        <p className={styles.keys} id={keysId}>
          {KEYS}
        </p>
      )}
      {mode === 'table' && details}
    </>
  )
}

interface ToolbarProps extends Pick<GraphViewProps, 'network' | 'fileName' | 'saving'> {
  stage: Stage | null
  palette: Palette
  mode: ViewState['view']
  onMode: (mode: ViewState['view']) => void
  onFound: (node: number) => void
}

function Toolbar({ network, fileName, saving, stage, palette, mode, onMode, onFound }: ToolbarProps) {
  const { run: save } = useAction({
    mutationFn: async (format: 'png' | 'svg' | 'gexf') => {
      const positions = stage?.positions()
      if (!positions) return
      const { download } = await import('../stage/download')
      await download(fileName, format, network, positions, palette)
    },
    failed: () => errorToast(null, 'The graph could not be saved. Please try again.'),
  })
  return (
    <div className={styles.bar}>
      <NodeSearch network={network} onFound={onFound} />
      <SegmentedControl
        aria-label="View"
        size="small"
        options={[
          { label: 'Graph', value: 'graph' },
          { label: 'Table', value: 'table' },
        ]}
        value={mode}
        onValueChange={value => onMode(value as ViewState['view'])}
      />
      <ButtonGroup className={styles.save} aria-label="Save the graph">
        <Button size="small" text="PNG" aria-label="Save as PNG" onClick={() => void save('png')} />
        <Button size="small" text="SVG" aria-label="Save as SVG" onClick={() => void save('svg')} />
        <Button size="small" text="GEXF" aria-label="Save as GEXF" onClick={() => void save('gexf')} />
        {saving}
      </ButtonGroup>
    </div>
  )
}

interface DrawingProps {
  drawing: ReturnType<typeof useStage>
  hidden: boolean
  /** Shown beside or over the graph. */
  children: ReactNode
}

function Drawing({ drawing, hidden, children }: DrawingProps) {
  const { stage, outer, frame, isBeside, warming, failed, retry } = drawing
  return (
    <div ref={outer} className={styles.outer} hidden={hidden}>
      {failed ? (
        <ErrorCallout title="The graph could not be drawn" onRetry={retry}>
          The table shows the same data.
        </ErrorCallout>
      ) : (
        <div className={styles.box}>
          <div ref={frame} className={styles.frame}>
            {!warming.shown && (
              <div className={styles.warming}>
                <Loading label="Loading graph..." />
                {warming.progress > 0 && (
                  <div aria-hidden>
                    <ProgressBar value={warming.progress} intent="primary" />
                  </div>
                )}
              </div>
            )}
            <ButtonGroup className={isBeside ? styles.zoom : `${styles.zoom} ${styles.upper}`} vertical>
              <Button icon={<PlusIcon />} aria-label="Zoom in" onClick={() => stage?.zoomBy(ZOOM_STEP)} />
              <Button
                icon={<MinusIcon />}
                aria-label="Zoom out"
                onClick={() => stage?.zoomBy(1 / ZOOM_STEP)}
              />
              <Button icon={<ZoomToFitIcon />} aria-label="Fit to screen" onClick={() => stage?.fit()} />
            </ButtonGroup>
          </div>
          {children}
        </div>
      )}
    </div>
  )
}
