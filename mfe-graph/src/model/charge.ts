export interface ChargeOptions {
  /** Force of one body at distance 1; negative repels. */
  strength: number
  /** A cell counts as one body if its width is less than `theta` times its distance; 0 is exact. Default 0.9. */
  theta?: number
}

const LEAF_SIZE = 12
/** Maximum depth: closer bodies share a leaf, because their positions may be equal. */
const DEPTH_MAX = 40
const DISTANCE_MIN_2 = 1
/** Assumed distance of bodies at the same position. */
const JIGGLE = 1e-6

/**
 * Creates the charge between all nodes (d3-force's many-body force) by the Barnes–Hut method (J. Barnes, P. Hut: "A
 * hierarchical O(N log N) force-calculation algorithm", Nature 324, 1986) on typed arrays. The tree is stored
 * in preorder with a skip index per cell, so that traversal needs no stack. Bodies are kept in the tree's
 * order, so that neighbours in space are neighbours in memory. Over 80 lines, as both steps work
 * on the same arrays, which `grow` replaces.
 * @returns adds `strength · alpha` times the charge of all bodies at `x`, `y` to the velocities `vx`, `vy`
 */
export function createCharge(bodies: number, { strength, theta = 0.9 }: ChargeOptions) {
  // Initial capacity, in cells. Only a cell with more than LEAF_SIZE bodies is split. Long chains of single children
  // exceed the capacity, which then grows.
  let capacity = Math.max(64, bodies)
  let cellX = new Float64Array(capacity)
  let cellY = new Float64Array(capacity)
  let cellCount = new Float64Array(capacity)
  /** Squared width over theta²: beyond this squared distance, the cell counts as one body. */
  let cellReach = new Float64Array(capacity)
  /** The next cell in preorder that is not a descendant of this one. */
  let cellSkip = new Int32Array(capacity)
  /** Range of a leaf's bodies, `cellTo` exclusive; an inner cell has `cellTo` 0. */
  let cellFrom = new Int32Array(capacity)
  let cellTo = new Int32Array(capacity)
  let cells = 0

  const order = Uint32Array.from({ length: bodies }, (_, index) => index)
  const scratch = new Uint32Array(bodies)
  const sortedX = new Float64Array(bodies)
  const sortedY = new Float64Array(bodies)
  const theta2 = theta * theta

  const grow = () => {
    capacity *= 2
    const wider = <T extends Float64Array | Int32Array>(array: T, made: T): T => {
      made.set(array)
      return made
    }
    cellX = wider(cellX, new Float64Array(capacity))
    cellY = wider(cellY, new Float64Array(capacity))
    cellCount = wider(cellCount, new Float64Array(capacity))
    cellReach = wider(cellReach, new Float64Array(capacity))
    cellSkip = wider(cellSkip, new Int32Array(capacity))
    cellFrom = wider(cellFrom, new Int32Array(capacity))
    cellTo = wider(cellTo, new Int32Array(capacity))
  }

  /** Builds the cell of the bodies `order[from … to)` in the square at `left`, `top`. */
  const build = (
    x: Float64Array,
    y: Float64Array,
    from: number,
    to: number,
    left: number,
    top: number,
    width: number,
    depth: number,
  ): void => {
    if (cells === capacity) grow()
    const cell = cells++
    cellCount[cell] = to - from
    cellReach[cell] = theta2 > 0 ? (width * width) / theta2 : Number.POSITIVE_INFINITY
    if (to - from <= LEAF_SIZE || depth === DEPTH_MAX) {
      let sumX = 0
      let sumY = 0
      for (let place = from; place < to; place++) {
        const body = order[place]!
        sumX += sortedX[place] = x[body]!
        sumY += sortedY[place] = y[body]!
      }
      cellX[cell] = sumX / (to - from)
      cellY[cell] = sumY / (to - from)
      cellFrom[cell] = from
      cellTo[cell] = to
      cellSkip[cell] = cells
      return
    }
    const half = width / 2
    const middleX = left + half
    const middleY = top + half
    // Stable counting sort of the bodies by quadrant.
    let north = 0
    let eastOfNorth = 0
    let eastOfSouth = 0
    for (let place = from; place < to; place++) {
      const body = order[place]!
      const east = x[body]! >= middleX
      if (y[body]! < middleY) {
        north++
        if (east) eastOfNorth++
      } else if (east) eastOfSouth++
    }
    const starts = [from, from + north - eastOfNorth, from + north, to - eastOfSouth, to]
    let nextNorthWest = starts[0]!
    let nextNorthEast = starts[1]!
    let nextSouthWest = starts[2]!
    let nextSouthEast = starts[3]!
    for (let place = from; place < to; place++) {
      const body = order[place]!
      const east = x[body]! >= middleX
      if (y[body]! < middleY) scratch[east ? nextNorthEast++ : nextNorthWest++] = body
      else scratch[east ? nextSouthEast++ : nextSouthWest++] = body
    }
    for (let place = from; place < to; place++) order[place] = scratch[place]!

    let sumX = 0
    let sumY = 0
    for (let quarter = 0; quarter < 4; quarter++) {
      const start = starts[quarter]!
      const end = starts[quarter + 1]!
      if (start === end) continue
      const child = cells
      build(x, y, start, end, quarter % 2 ? middleX : left, quarter < 2 ? top : middleY, half, depth + 1)
      sumX += cellX[child]! * (end - start)
      sumY += cellY[child]! * (end - start)
    }
    cellX[cell] = sumX / (to - from)
    cellY[cell] = sumY / (to - from)
    cellTo[cell] = 0
    cellSkip[cell] = cells
  }

  return (x: Float64Array, y: Float64Array, vx: Float64Array, vy: Float64Array, alpha: number): void => {
    if (bodies < 2) return
    let left = Number.POSITIVE_INFINITY
    let top = Number.POSITIVE_INFINITY
    let right = Number.NEGATIVE_INFINITY
    let bottom = Number.NEGATIVE_INFINITY
    for (let body = 0; body < bodies; body++) {
      left = Math.min(left, x[body]!)
      right = Math.max(right, x[body]!)
      top = Math.min(top, y[body]!)
      bottom = Math.max(bottom, y[body]!)
    }
    cells = 0
    build(x, y, 0, bodies, left, top, Math.max(right - left, bottom - top, 1e-9) * (1 + 1e-9), 0)

    const weight = strength * alpha
    for (let place = 0; place < bodies; place++) {
      const bodyX = sortedX[place]!
      const bodyY = sortedY[place]!
      let forceX = 0
      let forceY = 0
      let cell = 0
      while (cell < cells) {
        const to = cellTo[cell]!
        const dx = cellX[cell]! - bodyX
        const dy = cellY[cell]! - bodyY
        const distance2 = dx * dx + dy * dy
        if (distance2 > cellReach[cell]!) {
          const pull = cellCount[cell]! / (distance2 < DISTANCE_MIN_2 ? Math.sqrt(distance2) : distance2)
          forceX += dx * pull
          forceY += dy * pull
          cell = cellSkip[cell]!
        } else if (to === 0) {
          cell++
        } else {
          for (let other = cellFrom[cell]!; other < to; other++) {
            if (other === place) continue
            let nearX = sortedX[other]! - bodyX
            let nearY = sortedY[other]! - bodyY
            if (nearX === 0 && nearY === 0) {
              // Bodies at the same position are pushed apart, in opposite directions derived from their order.
              const angle = (Math.min(place, other) % 64) / 10
              const sign = place < other ? JIGGLE : -JIGGLE
              nearX = Math.cos(angle) * sign
              nearY = Math.sin(angle) * sign
            }
            const near2 = nearX * nearX + nearY * nearY
            const pull = 1 / (near2 < DISTANCE_MIN_2 ? Math.sqrt(near2) : near2)
            forceX += nearX * pull
            forceY += nearY * pull
          }
          cell = cellSkip[cell]!
        }
      }
      const body = order[place]!
      vx[body] = vx[body]! + forceX * weight
      vy[body] = vy[body]! + forceY * weight
    }
  }
}
