export * from './blueprint'
export { ConfirmDialog, type ConfirmDialogProps } from './ConfirmDialog'
export { IodDialog, type IodDialogProps, type IodDraft } from './IodDialog'
export { showToast, type ToastMessage } from './toaster'
