// Blueprint's command palette. It is apart from the other overlays because only the shell uses it, and loads it lazily.
export { type ItemListRendererProps, type ItemRendererProps, Omnibar } from '@blueprintjs/select'
