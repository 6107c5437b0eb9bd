// Blueprint's exports with overlays.
export type { HotkeyConfig } from '@blueprintjs/core'
export {
  DialogBody,
  DialogFooter,
  Drawer,
  HotkeysContext,
  HotkeysProvider,
  Menu,
  MenuDivider,
  MenuItem,
  PopoverNext as Popover,
  Tooltip,
  useHotkeys,
} from '@blueprintjs/core'
