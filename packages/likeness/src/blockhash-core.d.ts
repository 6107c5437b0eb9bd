declare module 'blockhash-core' {
  export function bmvbhash(
    image: { width: number; height: number; data: Uint8Array | Uint8ClampedArray },
    bits: number,
  ): string
}
