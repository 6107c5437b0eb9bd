/** Does pieces of work in order, `size` at once; one that takes longer than `ms` goes on beside the next. */
export const createTurns = (size: number, ms: number) => {
  let free = size
  const waiting: (() => void)[] = []
  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--
    else await new Promise<void>(resolve => waiting.push(resolve))
    let isOver = false
    const end = () => {
      if (!isOver) release()
      isOver = true
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
