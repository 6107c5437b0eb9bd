// Each icon is a module of its own and is bundled only where it is used: write <TrashIcon />, never icon="trash".
export * from '@blueprintjs/icons'
