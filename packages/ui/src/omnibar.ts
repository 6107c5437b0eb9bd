// Blueprint's search over everything, apart from the other overlays: the shell alone has it, and loads it on use.
export { type ItemListRendererProps, type ItemRendererProps, Omnibar } from '@blueprintjs/select'
