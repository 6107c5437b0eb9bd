// The exports of Blueprint that open above the page.
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
