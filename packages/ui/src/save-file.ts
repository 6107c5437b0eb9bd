/** Long enough for any browser to have begun saving. */
const REVOKE_AFTER_MS = 60_000

/** Saves a file as the browser saves downloads. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_AFTER_MS)
}
