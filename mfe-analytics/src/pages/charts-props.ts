import type { Controls } from '../model/controls'

/** Props of a tab's charts. */
export interface ChartsProps {
  controls: Controls
  onChange: (changes: Partial<Controls>) => void
}
