/** Limits the response of a foreign server: reading its body fails after `bytesMax` bytes. */
export const bounded = (response: Response, bytesMax: number): Response => {
  if (!response.body) return response
  let bytes = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) controller.error(new Error(`the response has more than ${bytesMax} bytes`))
      else controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counter), response)
}
