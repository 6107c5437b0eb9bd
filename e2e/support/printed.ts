import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** A printed page: the texts in its margins and between them, and its size in points. */
export interface PrintedPage {
  head: string
  foot: string
  text: string
  width: number
  height: number
}

/** Height of the margins that bear head and foot, in points: 20 mm. */
const MARGIN = 56.7

/** Returns the pages of a PDF. */
export const readPrinted = async (pdf: Buffer): Promise<PrintedPage[]> => {
  const task = getDocument({ data: new Uint8Array(pdf), verbosity: 0 })
  const document = await task.promise
  const pages: PrintedPage[] = []
  for (let n = 1; n <= document.numPages; n++) {
    const page = await document.getPage(n)
    const { width, height } = page.getViewport({ scale: 1 })
    const { items } = await page.getTextContent()
    const texts = items.flatMap(item =>
      'str' in item && item.str.trim() !== '' ? [{ text: item.str, y: Number(item.transform[5]) }] : [],
    )
    const join = (from: number, to: number) =>
      texts
        .filter(({ y }) => y >= from && y < to)
        .map(({ text }) => text)
        .join(' ')
    pages.push({
      head: join(height - MARGIN, height),
      foot: join(0, MARGIN),
      text: join(MARGIN, height - MARGIN),
      width,
      height,
    })
  }
  await task.destroy()
  return pages
}
