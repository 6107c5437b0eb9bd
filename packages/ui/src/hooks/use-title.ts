import { useEffect } from 'react'

/** Sets the title of the browser tab while the component is mounted; undefined leaves it unchanged. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return
    const before = document.title
    document.title = title
    return () => {
      document.title = before
    }
  }, [title])
}
