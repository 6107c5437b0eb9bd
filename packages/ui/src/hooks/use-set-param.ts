import { useSearchParams } from 'react-router-dom'

/** Returns a setter of URL query parameters, which replaces the history entry; '' removes the parameter. */
export function useSetParam(): (name: string, value: string) => void {
  const [, setSearch] = useSearchParams()
  return (name, value) =>
    setSearch(
      params => {
        const next = new URLSearchParams(params)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
}
