// Use icons as components (<TrashIcon />), never by name (icon="trash"): only imported icons are bundled.
export * from '@blueprintjs/icons'
