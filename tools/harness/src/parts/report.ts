/** Reports the listening port to the parent process. */
export const reportPort = (url: string): void => {
  process.send?.({ port: Number(new URL(url).port) })
  // The parent process has exited.
  process.once('disconnect', () => process.exit(0))
}
