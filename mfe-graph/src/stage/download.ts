import { saveFile } from '@iodine/ui'
import { boundsOf, fitCamera } from '../model/camera'
import { toGexf, toSvg } from '../model/export'
import type { Network } from '../model/network'
import { createPainter } from '../model/painter'
import type { Palette } from '../model/scene'

export type ExportFormat = 'png' | 'svg' | 'gexf'

const PNG = { width: 2000, height: 1200, pixelRatio: 2 }

/** Saves the graph in its current layout as `{name}_{date}.{format}`. */
export async function download(
  name: string,
  format: ExportFormat,
  network: Network,
  positions: Float32Array,
  palette: Palette,
): Promise<void> {
  const blob =
    format === 'png'
      ? await toPng(network, positions, palette)
      : format === 'svg'
        ? new Blob([toSvg(network, positions, palette)], { type: 'image/svg+xml' })
        : new Blob([toGexf(network, positions, palette)], { type: 'application/gexf+xml' })
  saveFile(`${name}_${new Date().toISOString().slice(0, 10)}.${format}`, blob)
}

/** Renders the whole graph on the background colour, at a pixel ratio of 2. */
async function toPng(network: Network, positions: Float32Array, palette: Palette): Promise<Blob> {
  const { width, height, pixelRatio } = PNG
  const canvas = document.createElement('canvas')
  canvas.width = width * pixelRatio
  canvas.height = height * pixelRatio
  const context = canvas.getContext('2d')
  const box = boundsOf(positions, network.shape.radii)
  if (!context || !box) throw new Error('No canvas context, or no nodes')
  createPainter(network, palette).whole(context, positions, {
    width,
    height,
    pixelRatio,
    camera: fitCamera(box, width, height),
    selected: -1,
    hovered: -1,
    selectedLink: -1,
    version: 0,
    visible: null,
    pinned: [],
  })
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = palette.ground
  context.fillRect(0, 0, canvas.width, canvas.height)
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The image is too large')))),
  )
}
