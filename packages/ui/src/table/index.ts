export type { Gap } from './GapRow'
export { type Column, Table, type TableProps } from './Table'
export { TableSkeleton, type TableSkeletonProps } from './TableSkeleton'
export { useRowFocus } from './use-row-focus'
export {
  type CardColumn,
  type RowFocus,
  useVirtualRows,
  type VirtualRows,
  VirtualTable,
  type VirtualTableProps,
} from './VirtualTable'
