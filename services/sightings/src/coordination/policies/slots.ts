/**
 * Creates `size` concurrency slots, filled in order. Work that takes longer than `ms` releases its slot and continues.
 */
export const createSlots = (size: number, ms: number) => {
  let free = size
  const queue: (() => void)[] = []
  const release = () => {
    const next = queue.shift()
    if (next) next()
    else free++
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => queue.push(resolve))
    let isReleased = false
    const end = () => {
      if (!isReleased) release()
      isReleased = true
    }
    const timer = setTimeout(end, ms)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      end()
    }
  }
}
