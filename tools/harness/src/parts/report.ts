/** Tells the process that forked this one on which port it listens. */
export const reportPort = (url: string): void => {
  process.send?.({ port: Number(new URL(url).port) })
  // Whoever forked it has gone.
  process.once('disconnect', () => process.exit(0))
}
