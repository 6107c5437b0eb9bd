import '@iodine/ui/blueprint.css'
import '@iodine/ui/theme.css'
import { type ReactNode, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'

/** Shows a page of the extension. */
export const openPage = (page: ReactNode): void =>
  createRoot(document.getElementById('root') as HTMLElement).render(<StrictMode>{page}</StrictMode>)
