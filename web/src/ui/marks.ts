/** A part of a text that is marked, from a byte up to but not including another. */
export interface Mark {
  start: number
  end: number
  id: string
}

/** A piece of a text: what marks it, or nothing. */
export interface Piece {
  text: string
  start: number // byte
  ids: string[]
}

/** cut divides a part of a text at the borders of its marks, whose places are bytes of its UTF-8 form. A mark that is not in the text is left out; one that reaches out of the part marks what of it is there. */
export function cut(bytes: Uint8Array, marks: Mark[], from = 0, to = bytes.length): Piece[] {
  const good = marks
    .filter((m) => m.start >= 0 && m.start < m.end && m.end <= bytes.length && m.start < to && m.end > from)
    .map((m) => ({ ...m, start: Math.max(m.start, from), end: Math.min(m.end, to) }))
    .sort((a, b) => a.start - b.start)
  const borders = [...new Set([from, to, ...good.flatMap((m) => [m.start, m.end])])].sort((a, b) => a - b)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const pieces: Piece[] = []
  let next = 0
  let open: Mark[] = []
  for (let i = 0; i + 1 < borders.length; i++) {
    const [start, end] = [borders[i]!, borders[i + 1]!]
    open = open.filter((m) => m.end > start)
    while (next < good.length && good[next]!.start === start) open.push(good[next++]!)
    pieces.push({ text: decoder.decode(bytes.subarray(start, end)), start, ids: [...new Set(open.map((m) => m.id))] })
  }
  return pieces
}

/** words cuts a text where it has one of some words, in any case and with any ending. */
export function words(text: string, asked: string): { text: string; hit: boolean }[] {
  const stems = [...new Set(asked.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])].filter((w) => !common.has(w))
  if (stems.length === 0) return [{ text, hit: false }]
  const begins = stems.map((w) => (w.length > 5 ? w.slice(0, -1) : w))
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter((t) => t !== '')
    .map((t) => ({ text: t, hit: begins.some((b) => t.toLowerCase().startsWith(b) && t.length <= b.length + 4) }))
}

const common = new Set('the and for with what which who whom whose when where why how does did has have had was were are can could would should will this that these those from into about they them their there'.split(' '))
