export {
  type Column,
  useVirtualRows,
  type VirtualRows,
  VirtualTable,
  type VirtualTableProps,
} from './VirtualTable'
