import { useLatest } from '@iodine/ui'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { GRAPH } from '../model/constants'
import { type Network, neighbourhood } from '../model/network'
import type { Palette } from '../model/scene'
import type { Selection } from '../model/view-state'
import { type Covered, createStage, type Stage } from '../stage/stage'

/** Share of the window's height that the canvas takes on a phone; touches outside it scroll the page. */
const PHONE_HEIGHT_SHARE = 0.6
/** Minimum width of the canvas for details at its right side; in a narrower one they are a sheet over it. */
const BESIDE_FROM = 680
/** Parts of the canvas that the details cover: pixels on the right, or a share of the height. */
const CARD_WIDTH = 332
const SHEET_SHARE = 0.5
const PHONE_WIDTH = 600
const PHONE_HEIGHT_MIN = 360

/** Returns the part of the canvas that the details of a selection cover. */
export const coveredBy = (isShown: boolean, isBeside: boolean): Covered => ({
  right: isShown && isBeside ? CARD_WIDTH : 0,
  bottom: isShown && !isBeside ? SHEET_SHARE : 0,
})

export interface StageInput {
  network: Network
  expanded: boolean
  /** Accessible name of the canvas. */
  label: string
  /** Id of the element that describes its keys. */
  describedBy: string
  palette: Palette
  selection: Selection
  onSelect: RefObject<(selection: Selection) => void>
}

/** Draws a network in `frame`, as large as `outer` permits. */
export function useStage({
  network,
  expanded,
  label,
  describedBy,
  palette,
  selection,
  onSelect,
}: StageInput) {
  const [stage, setStage] = useState<Stage | null>(null)
  const [isBeside, setBeside] = useState(true)
  /** Maximum number of links between the selected node and other displayed nodes; 0 displays all. */
  const [depth, setDepth] = useState(0)
  const [undrawn, setUndrawn] = useState<Network | null>(null)
  const failed = undrawn === network
  const latestNetwork = useLatest(network)
  const [warming, setWarming] = useState({ shown: false, progress: 0 })
  const outer = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (failed) return
    const made = createStage(frame.current as HTMLElement, {
      label,
      describedBy,
      palette,
      onSelect: next => onSelect.current(next),
      onProgress: setWarming,
      onFailure: () => setUndrawn(latestNetwork.current),
    })
    setStage(made)
    return () => {
      setStage(null)
      made.close()
    }
  }, [palette, failed, onSelect, latestNetwork, label, describedBy])

  useEffect(() => {
    setDepth(0)
    setWarming({ shown: false, progress: 0 })
    stage?.show(network)
  }, [stage, network])

  useEffect(() => {
    stage?.reserve(coveredBy(Math.max(selection.node, selection.link) >= 0, isBeside))
    stage?.select(selection)
  }, [stage, selection, isBeside])

  const mask = useMemo(
    () => (selection.node >= 0 && depth > 0 ? neighbourhood(network, selection.node, depth) : null),
    [network, selection.node, depth],
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

  return { stage, outer, frame, isBeside, depth, setDepth, warming, failed, retry: () => setUndrawn(null) }
}
