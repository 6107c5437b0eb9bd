import { type D3DragEvent, type D3ZoomEvent, drag, select, zoom, zoomIdentity } from 'd3'
import {
  type Camera,
  createNodeFinder,
  fitCamera,
  linkAt,
  mainBounds,
  type NodeFinder,
} from '../model/camera'
import { GRAPH } from '../model/constants'
import type { LayoutUpdate } from '../model/layout-run'
import type { Network } from '../model/network'
import type { Palette, View } from '../model/scene'
import { NO_SELECTION, type Selection } from '../model/view-state'
import { createLayouts } from './start-layout'
import { createSurface } from './surface'

/**
 * The graph's canvas, with a method for tests that locates a node. Its data attributes contain the state:
 * `data-layout` (empty, warming, moving, settled), `data-nodes`, `data-links`, `data-visible` (nodes drawn),
 * `data-selected` and `data-pinned` (node ids; several pinned ones as a JSON list), `data-zoom` (scale),
 * `data-drawing` (worker, page).
 */
export interface GraphCanvas extends HTMLCanvasElement {
  /** Centre of a node in CSS pixels from the canvas's top left corner; null for an unknown id or before a layout. */
  nodePosition: (id: string) => { x: number; y: number } | null
}

export interface StageOptions {
  /** Accessible name of the canvas. */
  label: string
  /** Id of the element that describes its keys. */
  describedBy: string
  palette: Palette
  /** Called when a node, a link or the background is clicked. */
  onSelect: (selection: Selection) => void
  /** Called during the layout. `progress` (0 to 1) is that of the warm-up, before the graph is displayed. */
  onProgress: (state: { shown: boolean; progress: number }) => void
  /** Called when layout or drawing fails and cannot continue. */
  onFailure: () => void
}

export interface Covered {
  right: number
  bottom: number
}

const FLIGHT_MS = 180
const KEY_ZOOM = 1.3
const KEY_PAN = 60
/** Minimum distance of a selected node from the covered part, in pixels, so that its label fits. */
const UNCOVERED_PX = 48

type Subject = { node: number; x: number; y: number }

/**
 * Adds the graph's canvas to `container`: the displayed graph with its pointer and keyboard input, independent of React.
 * Over 80 lines, as camera, drag, keys and layout act on one state of the view.
 */
export function createStage(container: HTMLElement, options: StageOptions) {
  const canvas = container.appendChild(document.createElement('canvas')) as GraphCanvas
  canvas.tabIndex = 0
  canvas.setAttribute('role', 'application')
  canvas.setAttribute('aria-label', options.label)
  canvas.setAttribute('aria-describedby', options.describedBy)
  canvas.style.touchAction = 'none'
  canvas.style.display = 'block'
  canvas.dataset.layout = 'empty'
  const surface = createSurface(canvas, options.palette, options.onFailure)

  let network: Network | null = null
  let positions: Float32Array | null = null
  let finder: NodeFinder | null = null
  const pinned = new Set<number>()
  /** Whether the camera follows the layout: until the user moves the view. */
  let following = true
  let dragged = false
  /** The clicked node, which is about to be selected. */
  let clicked = -1
  let covered: Covered = { right: 0, bottom: 0 }
  const view: View = {
    width: 0,
    height: 0,
    pixelRatio: Math.max(1, window.devicePixelRatio || 1),
    camera: zoomIdentity,
    selected: -1,
    hovered: -1,
    selectedLink: -1,
    version: 0,
    visible: null,
    pinned: [],
  }
  const setView = (change: Partial<View> = {}) => {
    const { camera: _camera, hovered: _hovered, ...rest } = change
    if (Object.keys(rest).length > 0) view.version++
    Object.assign(view, change)
    // A d3 transform is a class instance, which can't be posted to a worker.
    const { x, y, k } = view.camera
    surface.setView({ ...view, camera: { x, y, k } })
  }
  const idOf = (node: number) => network?.nodes[node]?.id

  const selection = select<HTMLCanvasElement, unknown>(canvas)
  const zooming = zoom<HTMLCanvasElement, unknown>()
    .scaleExtent([GRAPH.zoomMin, GRAPH.zoomMax])
    .extent(() => [
      [0, 0],
      [view.width, view.height],
    ])
    .on('zoom', ({ transform, sourceEvent }: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
      if (sourceEvent) following = false
      canvas.dataset.zoom = transform.k.toFixed(3)
      setView({ camera: transform })
    })
  const moveCamera = ({ x, y, k }: Camera, flight = false) => {
    const transform = zoomIdentity.translate(x, y).scale(k)
    const calm = window.matchMedia?.('(prefers-reduced-motion: reduce)').matches
    if (flight && !calm) selection.transition().duration(FLIGHT_MS).call(zooming.transform, transform)
    else selection.interrupt().call(zooming.transform, transform)
  }
  /** Returns width and height of the uncovered part of the canvas. */
  const free = () => [view.width - covered.right, view.height * (1 - covered.bottom)] as const
  const fitThose = (marked: Uint8Array | null, flight: boolean) => {
    const box = network && positions && mainBounds(positions, network.shape.radii, marked)
    if (box && view.width > 0) moveCamera(fitCamera(box, ...free()), flight)
  }
  const fit = (flight: boolean) => fitThose(view.visible, flight)
  /** Moves the view if the covered part contains a node. */
  const uncover = (node: number) => {
    const place = screenPosition(node)
    if (!place) return
    const [width, height] = free()
    const x = Math.max(0, place.x - (width - UNCOVERED_PX))
    const y = Math.max(0, place.y - (height - UNCOVERED_PX))
    if (x === 0 && y === 0) return
    following = false
    moveCamera({ ...view.camera, x: view.camera.x - x, y: view.camera.y - y }, true)
  }
  const hit = (x: number, y: number): number => finder?.(x, y, view.camera, view.visible) ?? -1
  const hitLink = (x: number, y: number): number =>
    network && positions ? linkAt(x, y, positions, network.shape, view.camera, view.visible) : -1
  const screenPosition = (node: number) =>
    positions && {
      x: positions[node * 2]! * view.camera.k + view.camera.x,
      y: positions[node * 2 + 1]! * view.camera.k + view.camera.y,
    }

  const dragging = drag<HTMLCanvasElement, unknown, Subject | undefined>()
    .container(canvas)
    .subject(({ x, y }: { x: number; y: number }) => {
      const node = hit(x, y)
      const place = node >= 0 && screenPosition(node)
      return place ? { node, ...place } : undefined
    })
    .on('start', () => {
      dragged = false
    })
    .on('drag', ({ subject, x, y }: D3DragEvent<HTMLCanvasElement, unknown, Subject>) => {
      dragged = true
      following = false
      const { node } = subject
      const place = {
        x: (x - view.camera.x) / view.camera.k,
        y: (y - view.camera.y) / view.camera.k,
      }
      pinned.add(node)
      if (view.pinned.length !== pinned.size) {
        setView({ pinned: [...pinned] })
        canvas.dataset.pinned = JSON.stringify(view.pinned.map(idOf))
      }
      layouts.send({ type: 'drag', node, ...place })
      canvas.dataset.layout = 'moving'
      // The node follows the pointer immediately, other nodes with the layout's next update.
      if (positions) {
        positions[node * 2] = place.x
        positions[node * 2 + 1] = place.y
        surface.move(positions, false)
      }
    })
    .on('end', () => {
      if (dragged) layouts.send({ type: 'drop' })
    })

  const hover = (node: number) => {
    if (node === view.hovered) return
    canvas.style.cursor = node >= 0 ? 'pointer' : 'grab'
    setView({ hovered: node })
  }
  const onKey = (event: KeyboardEvent) => {
    const pan = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (pan) {
      following = false
      selection.call(
        zooming.translateBy,
        (pan[0]! * KEY_PAN) / view.camera.k,
        (pan[1]! * KEY_PAN) / view.camera.k,
      )
    } else if (event.key === '+' || event.key === '=') zoomBy(KEY_ZOOM)
    else if (event.key === '-') zoomBy(1 / KEY_ZOOM)
    else if (event.key === '0') follow()
    else if (event.key === 'Escape') options.onSelect(NO_SELECTION)
    else return
    event.preventDefault()
  }
  const zoomBy = (factor: number) => {
    following = false
    selection.call(zooming.scaleBy, factor)
  }
  const follow = () => {
    following = true
    fit(true)
  }

  selection
    .call(dragging as never)
    .call(zooming)
    .on('dblclick.zoom', null)
  canvas.addEventListener('click', ({ offsetX, offsetY }) => {
    const node = hit(offsetX, offsetY)
    clicked = node
    options.onSelect({ node, link: node < 0 ? hitLink(offsetX, offsetY) : -1 })
  })
  canvas.addEventListener('pointermove', event => {
    // No hover during a layout: each update would rebuild the quadtree.
    if (event.pointerType === 'mouse' && event.buttons === 0 && canvas.dataset.layout === 'settled')
      hover(hit(event.offsetX, event.offsetY))
  })
  canvas.addEventListener('pointerleave', () => hover(-1))
  canvas.addEventListener('keydown', onKey)
  canvas.nodePosition = id => {
    const node = network?.indexOf.get(id)
    return node === undefined ? null : screenPosition(node)
  }

  const onUpdate = (update: LayoutUpdate) => {
    if (update.type === 'warming') {
      options.onProgress({ shown: false, progress: update.progress })
      return
    }
    const first = positions === null
    positions = update.positions
    if (network) finder = createNodeFinder(positions, network.shape.radii)
    surface.move(positions, update.settled)
    if (following) fit(false)
    canvas.dataset.layout = update.settled ? 'settled' : 'moving'
    if (first) options.onProgress({ shown: true, progress: 1 })
  }

  const layouts = createLayouts(onUpdate, options.onFailure)

  return {
    show: (shown: Network) => {
      network = shown
      positions = null
      finder = null
      following = true
      pinned.clear()
      const { shape, labels, ranking } = shown
      surface.show({ shape, labels, ranking })
      setView({ selected: -1, hovered: -1, selectedLink: -1, visible: null, pinned: [] })
      Object.assign(canvas.dataset, {
        layout: shape.nodeCount > 0 ? 'warming' : 'empty',
        nodes: String(shape.nodeCount),
        links: String(shape.linkCount),
        visible: String(shape.nodeCount),
        pinned: '[]',
      })
      layouts.run(shape)
    },
    resize: (width: number, height: number) => {
      canvas.style.width = `${width}px`
      canvas.style.height = `${height}px`
      const { x, y, k } = view.camera
      const [right, down] = [(width - view.width) / 2, (height - view.height) / 2]
      setView({ width, height, pixelRatio: Math.max(1, window.devicePixelRatio || 1) })
      if (following) fit(false)
      else moveCamera({ x: x + right, y: y + down, k })
    },
    /**
     * Sets the covered part of the canvas, which stays free when nodes are brought into view: pixels on the right, a
     * share of the height (0 to 1) at the bottom.
     */
    reserve: (part: Covered) => {
      covered = part
    },
    select: ({ node, link }: Selection) => {
      const id = idOf(node)
      if (id === undefined) delete canvas.dataset.selected
      else canvas.dataset.selected = id
      setView({ selected: node, selectedLink: link })
      if (node >= 0 && node === clicked) uncover(node)
      clicked = -1
    },
    /** Draws only the marked nodes; null draws all. */
    restrict: (visible: Uint8Array | null) => {
      const drawn = visible?.reduce((sum, mark) => sum + mark, 0) ?? network?.shape.nodeCount ?? 0
      canvas.dataset.visible = String(drawn)
      setView({ visible })
      following = true
      fit(true)
    },
    /** Brings all drawn nodes into view. */
    fit: follow,
    /** Brings the marked nodes into the uncovered part of the view. */
    fitAround: (marked: Uint8Array) => {
      following = false
      // The hops filter may hide some nodes.
      const { visible } = view
      fitThose(visible ? marked.map((mark, node) => mark & (visible[node] ?? 0)) : marked, true)
    },
    zoomBy,
    /** Interleaved x and y of the nodes, in graph units; null before the first layout. */
    positions: () => positions,
    close: () => {
      layouts.close()
      selection.interrupt()
      surface.close()
      canvas.remove()
    },
  }
}

export type Stage = ReturnType<typeof createStage>
