// Use icons as components (<TrashIcon />), never by name (icon="trash"): each is bundled where it is used.
export * from '@blueprintjs/icons'
