import { errorToast, useAction } from '@iodine/mfe-kit'
import {
  Button,
  ButtonGroup,
  ErrorCallout,
  Loading,
  ProgressBar,
  SearchInput,
  SegmentedControl,
  useLatest,
} from '@iodine/ui'
import { MinusIcon, PlusIcon, ZoomToFitIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { type FormEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { GRAPH } from '../model/constants'
import { findNodes, type Network, neighbourhood } from '../model/network'
import {
  NO_SELECTION,
  readViewState,
  type Selection,
  selectionOf,
  type ViewState,
  viewStateOf,
  withViewState,
} from '../model/view-state'
import { createStage, type Stage } from '../stage/stage'
import { NodeTable } from './GraphTable'
import styles from './GraphView.module.css'
import { readPalette } from './palette'

const ZOOM_STEP = 1.4
const FOUND_MAX = 8
/** Share of the window's height that the canvas takes on a phone; touches outside it scroll the page. */
const PHONE_HEIGHT_SHARE = 0.6
/** Minimum width of the canvas for details at its right side; in a narrower one they are a sheet over it. */
const BESIDE_FROM = 680
/** Parts of the canvas that the details cover: pixels on the right, or a share of the height. */
const CARD_WIDTH = 332
const SHEET_SHARE = 0.5
const PHONE_WIDTH = 600
const PHONE_HEIGHT_MIN = 360

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
export function GraphView({
  network,
  expanded,
  label,
  fileName,
  legend,
  saving,
  linkTable,
  nodeCard,
  linkCard,
}: GraphViewProps) {
  const [stage, setStage] = useState<Stage | null>(null)
  const [search, setSearch] = useSearchParams()
  const { view: mode, node: nodeId, to: toId } = readViewState(search)
  const onViewState = (change: Partial<ViewState>) =>
    setSearch(withViewState(search, change), { replace: true })
  const selection = useMemo(() => selectionOf(network, { node: nodeId, to: toId }), [network, nodeId, toId])
  const selected = selection.node
  const setSelection = useLatest((next: Selection) => onViewState(viewStateOf(network, next)))
  const [isBeside, setBeside] = useState(true)
  const [depth, setDepth] = useState(0)
  const [undrawn, setUndrawn] = useState<Network | null>(null)
  const failed = undrawn === network
  const latestNetwork = useLatest(network)
  const [warming, setWarming] = useState({ shown: false, progress: 0 })
  const outer = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const palette = useMemo(readPalette, [])
  const keysId = useId()

  useEffect(() => {
    if (failed) return
    const made = createStage(frame.current as HTMLElement, {
      label,
      describedBy: keysId,
      palette,
      onSelect: next => setSelection.current(next),
      onProgress: setWarming,
      onFailure: () => setUndrawn(latestNetwork.current),
    })
    setStage(made)
    return () => {
      setStage(null)
      made.close()
    }
  }, [palette, failed, setSelection, latestNetwork, label, keysId])

  useEffect(() => {
    setDepth(0)
    setWarming({ shown: false, progress: 0 })
    stage?.show(network)
  }, [stage, network])

  useEffect(() => {
    const isShown = Math.max(selection.node, selection.link) >= 0
    stage?.reserve({
      right: isShown && isBeside ? CARD_WIDTH : 0,
      bottom: isShown && !isBeside ? SHEET_SHARE : 0,
    })
    stage?.select(selection)
  }, [stage, selection, isBeside])

  const mask = useMemo(
    () => (selected >= 0 && depth > 0 ? neighbourhood(network, selected, depth) : null),
    [network, selected, depth],
  )
  const restricted = useRef(false)
  useEffect(() => {
    if (mask || restricted.current) stage?.restrict(mask)
    restricted.current = mask !== null
  }, [stage, mask])

  useEffect(() => {
    const preset = expanded ? GRAPH.expanded : GRAPH.compact
    const resize = () => {
      const width = Math.min(outer.current?.clientWidth || preset.width, preset.width)
      const phoneHeight = Math.max(PHONE_HEIGHT_MIN, Math.round(window.innerHeight * PHONE_HEIGHT_SHARE))
      setBeside(width >= BESIDE_FROM)
      stage?.resize(width, width < PHONE_WIDTH ? Math.min(preset.height, phoneHeight) : preset.height)
    }
    resize()
    const observer = new ResizeObserver(resize)
    if (outer.current) observer.observe(outer.current)
    window.addEventListener('resize', resize)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', resize)
    }
  }, [stage, expanded])

  const select = (node: number) => {
    setSelection.current({ node, link: -1 })
    stage?.reserve(isBeside ? { right: CARD_WIDTH, bottom: 0 } : { right: 0, bottom: SHEET_SHARE })
    stage?.fitAround(neighbourhood(network, node, 1))
  }
  const { run: save } = useAction({
    mutationFn: async (format: 'png' | 'svg' | 'gexf') => {
      const positions = stage?.positions()
      if (!positions) return
      const { download } = await import('../stage/download')
      await download(fileName, format, network, positions, palette)
    },
    failed: () => errorToast(null, 'The graph could not be saved. Please try again.'),
  })

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
      <div className={styles.bar}>
        <NodeSearch network={network} onFound={select} />
        <SegmentedControl
          aria-label="View"
          size="small"
          options={[
            { label: 'Graph', value: 'graph' },
            { label: 'Table', value: 'table' },
          ]}
          value={mode}
          onValueChange={value => onViewState({ view: value as ViewState['view'] })}
        />
        <ButtonGroup className={styles.save} aria-label="Save the graph">
          <Button size="small" text="PNG" aria-label="Save as PNG" onClick={() => void save('png')} />
          <Button size="small" text="SVG" aria-label="Save as SVG" onClick={() => void save('svg')} />
          <Button size="small" text="GEXF" aria-label="Save as GEXF" onClick={() => void save('gexf')} />
          {saving}
        </ButtonGroup>
      </div>
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
      <div ref={outer} className={styles.outer} hidden={mode === 'table'}>
        {failed ? (
          <ErrorCallout title="The graph could not be drawn" onRetry={() => setUndrawn(null)}>
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
            {mode === 'graph' && details}
          </div>
        )}
      </div>
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

function NodeSearch({ network, onFound }: { network: Network; onFound: (node: number) => void }) {
  const [term, setTerm] = useState('')
  const found = useMemo(() => findNodes(network, term, FOUND_MAX), [network, term])
  const pick = (node: number | undefined) => {
    if (node === undefined) return
    onFound(node)
    setTerm('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    pick(found[0])
  }
  return (
    <form className={styles.search} onSubmit={submit}>
      <SearchInput value={term} onChange={setTerm} placeholder="Find a node..." />
      {term.trim() !== '' && (
        <ul className={styles.found} aria-label="Nodes found">
          {found.map(node => (
            <li key={node}>
              <Button
                fill
                alignText="start"
                variant="minimal"
                ellipsizeText
                text={network.labels[node]}
                onClick={() => pick(node)}
              />
            </li>
          ))}
          {found.length === 0 && <li className={styles.none}>No node with this label</li>}
        </ul>
      )}
    </form>
  )
}
