import type { StixBundle } from '@iodine/exchange'

const END = '\n  ]\n}\n'

/** Yields a bundle as a file, with the unchanged bytes of further objects. */
export async function* stixFile(
  bundle: StixBundle,
  objects: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  const text = `${JSON.stringify(bundle, null, 2)}\n`
  yield text.slice(0, -END.length)
  for await (const object of objects) {
    yield ',\n    '
    yield object
  }
  yield END
}

/** Returns a bundle without the objects that the campaign has imported in the same version. */
export const withoutKept = (bundle: StixBundle, kept: ReadonlySet<string>): StixBundle => ({
  ...bundle,
  objects: bundle.objects.filter(
    ({ id, modified, created }) => !kept.has(`${id} ${modified ?? created ?? ''}`),
  ),
})
