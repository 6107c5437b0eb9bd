// Each icon is a module of its own, bundled where it is used: write <TrashIcon />, never icon="trash".
export * from '@blueprintjs/icons'
