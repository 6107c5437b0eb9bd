import type { Camera } from './camera'
import type { Network } from './network'

/** Colours and font for the canvas. */
export interface Palette {
  /** By the indices of kinds. */
  nodes: readonly string[]
  links: readonly string[]
  selected: string
  text: string
  ground: string
  /** Font families, as in CSS. */
  font: string
}

/** The parts of a network that are drawn. Can be posted to a worker. */
export type Scene = Pick<Network, 'shape' | 'labels' | 'ranking'>

/** The state of the view. Sizes are CSS pixels; nodes are indices, -1 for none. */
export interface View {
  width: number
  height: number
  pixelRatio: number
  camera: Camera
  selected: number
  hovered: number
  selectedLink: number
  /** A number that changes with every field but `camera` and `hovered`. */
  version: number
  /** Marks the nodes to draw; null draws all. */
  visible: Uint8Array | null
  /** Nodes fixed by dragging. */
  pinned: readonly number[]
}

export type Context = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D
