import { SERVICE_NAMES } from '@iodine/contracts'

/** Parts of the app that run code of this repository. */
export const OWN_PARTS = [...SERVICE_NAMES, 'workers', 'gateway'] as const
export type OwnPart = (typeof OWN_PARTS)[number]

/** Every process of the app, and the servers it depends on. */
export const PROCESS_NAMES = ['database', 'redis', 'smtp', 'ai', ...OWN_PARTS] as const
export type ProcessName = (typeof PROCESS_NAMES)[number]

export const isOwn = (name: ProcessName): name is OwnPart => OWN_PARTS.some(own => own === name)
