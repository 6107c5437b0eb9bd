/** Delay after which every browser has started the download. */
const REVOKE_AFTER_MS = 60_000

/** Starts a browser download of `content`. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS)
}
