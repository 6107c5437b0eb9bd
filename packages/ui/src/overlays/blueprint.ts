// Blueprint's exports with overlays.
export type { HotkeyConfig } from '@blueprintjs/core'
export {
  DialogBody,
  DialogFooter,
  Drawer,
  HotkeysContext,
  HotkeysProvider,
  Menu,
  MenuItem,
  PopoverNext as Popover,
  Tooltip,
  useHotkeys,
} from '@blueprintjs/core'
