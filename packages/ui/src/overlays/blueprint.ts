// Blueprint's exports with overlays.
export {
  DialogBody,
  DialogFooter,
  Drawer,
  Menu,
  MenuDivider,
  MenuItem,
  PopoverNext as Popover,
  Tooltip,
} from '@blueprintjs/core'
